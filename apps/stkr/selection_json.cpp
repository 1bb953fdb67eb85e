#include <nlohmann/json.hpp>

#include "selection_report.hpp"

namespace stkr::app {

using nlohmann::json;

json selection_json(const SelectionReport& report) {
  json document{{"points", json::array()}, {"settings", json::array()}};
  for (const auto& [setting, selection] : report.result.selections) {
    for (const GridScore& score : selection.scores) {
      const GridPoint& p = score.point;
      json point{{"setting", to_string(setting)}, {"method", short_name(p.family)}};
      if (several_kernels(selection)) point["kernel"] = selection.kernels[p.kernel].description;
      if (p.family == Family::polynomial) {
        point["param"] = report.result.grid.polynomials[static_cast<std::size_t>(p.parameter)];
      } else {
        point["param"] = p.parameter;
      }
      if (has_ridge(p.family)) {
        point["beta"] = score.beta > 0.0 ? score.beta : p.beta;
        if (p.ridge > 0.0) point["ridge"] = p.ridge;
      } else {
        point["iterations"] = p.iterations;
      }
      if (p.class_mass) point["class_mass"] = true;
      point["val"] = score.validation;
      point["loss"] = score.loss;
      point["test"] = score.test ? json(*score.test) : json(nullptr);
      point["val_no_evidence"] = score.validation_no_evidence;
      if (score.test) point["test_no_evidence"] = score.test_no_evidence;
      document["points"].push_back(std::move(point));
    }
    json costs = json::array();
    for (const FamilyCost& cost : selection.costs) {
      costs.push_back({{"method", short_name(cost.family)},
                       {"seconds", cost.seconds},
                       {"products", cost.products}});
    }
    json one{{"setting", to_string(setting)},
             {"score", to_string(selection.score)},
             {"validation", validation_name(report)},
             {"seconds", selection.seconds},
             {"costs", std::move(costs)},
             {"warnings", selection.warnings},
             {"tied", selection.tied()}};
    one["left_out"] = json::array();
    for (const LeftOut& point : selection.left_out) {
      json left{{"method", short_name(point.family)},
                {"param", point.parameter},
                {"reason", point.reason}};
      if (several_kernels(selection)) {
        left["kernel"] = selection.kernels[point.kernel].description;
      }
      one["left_out"].push_back(std::move(left));
    }
    if (several_kernels(selection)) {
      for (const TriedKernel& kernel : selection.kernels) {
        json tried{{"kernel", kernel.description},
                   {"lambda_1", kernel.largest_eigenvalue > 0.0 ? json(kernel.largest_eigenvalue)
                                                                : json(nullptr)}};
        if (!kernel.left_out.empty()) tried["left_out"] = kernel.left_out;
        one["kernels"].push_back(std::move(tried));
      }
    } else {
      one["lambda_1"] = selection.kernels.front().largest_eigenvalue;
    }
    if (const auto best = selection.best()) {
      if (const auto expected = expected_score(report, selection)) one["expected"] = *expected;
      one["best"] = document["points"][document["points"].size() - selection.scores.size() + *best];
      one["fit_options"] = fit_options(report, selection, selection.scores[*best]);
    }
    document["settings"].push_back(std::move(one));
  }
  document["seconds"] = report.result.seconds;
  if (!report.model.empty()) document["model"] = report.model;
  if (!report.plot.empty()) document["plot"] = report.plot;
  return document;
}

}  // namespace stkr::app
