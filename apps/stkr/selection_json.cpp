#include <nlohmann/json.hpp>

#include "report/selection_tables.hpp"
#include "selection_report.hpp"
#include "shell_word.hpp"

namespace stkr::app {

using nlohmann::json;

namespace {

// The parameter of a family by the name of its option, beside `param`.
const char* parameter_name(Family family) {
  switch (family) {
    case Family::power:
      return "power";
    case Family::polynomial:
      return "coefficients";
    case Family::diffusion:
      return "time";
    case Family::top_d:
      return "d";
    case Family::inverse_laplacian:
    case Family::poisson:
    case Family::label_propagation:
      break;
  }
  return "eta";
}

// Only a split distinguishes settings, and has a test set.
void add_setting(const SelectionReport& report, Setting setting, json& document) {
  document["validation"] = report::validation_name(report.result);
  if (report.result.validation.split) document["setting"] = to_string(setting);
}

json point_json(const SelectionReport& report, Setting setting, const Selection& selection,
                const GridScore& score) {
  const GridPoint& p = score.point;
  json point{{"family", to_string(p.family)}};
  add_setting(report, setting, point);
  if (report::several_kernels(selection)) point["kernel"] = selection.kernels[p.kernel].description;
  point["param"] = p.family == Family::polynomial
                       ? json(report.result.grid.polynomials[static_cast<std::size_t>(p.parameter)])
                       : json(p.parameter);
  point[parameter_name(p.family)] = point["param"];
  if (has_ridge(p.family)) {
    point["beta"] = score.beta > 0.0 ? score.beta : p.beta;
    if (p.ridge > 0.0) point["ridge"] = p.ridge;
  } else {
    point["iterations"] = p.iterations;
  }
  if (p.class_mass) point["class_mass"] = true;
  point["val"] = score.validation;
  point["loss"] = score.loss;
  point["val_no_evidence"] = score.validation_no_evidence;
  if (score.test) {
    point["test"] = *score.test;
    point["test_no_evidence"] = score.test_no_evidence;
  }
  return point;
}

}  // namespace

json selection_json(const SelectionReport& report, std::optional<int> top) {
  json document{{"points", json::array()}, {"settings", json::array()}};
  for (const auto& [setting, selection] : report.result.selections) {
    if (top) {
      const std::vector<std::size_t> ranking = selection.ranking();
      for (std::size_t k = 0; k < ranking.size() && k < static_cast<std::size_t>(*top); ++k) {
        document["points"].push_back(
            point_json(report, setting, selection, selection.scores[ranking[k]]));
      }
    } else {
      for (const GridScore& score : selection.scores) {
        document["points"].push_back(point_json(report, setting, selection, score));
      }
    }
    json costs = json::array();
    for (const FamilyCost& cost : selection.costs) {
      costs.push_back({{"family", to_string(cost.family)},
                       {"seconds", cost.seconds},
                       {"products", cost.products}});
    }
    json one{{"score", to_string(selection.score)},
             {"seconds", selection.seconds},
             {"costs", std::move(costs)},
             {"warnings", selection.warnings},
             {"tied", selection.tied()}};
    add_setting(report, setting, one);
    one["left_out"] = json::array();
    for (const LeftOut& point : selection.left_out) {
      json left{{"family", to_string(point.family)},
                {"param", point.parameter},
                {"reason", point.reason}};
      if (report::several_kernels(selection)) {
        left["kernel"] = selection.kernels[point.kernel].description;
      }
      one["left_out"].push_back(std::move(left));
    }
    if (report::several_kernels(selection)) {
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
      one["best"] = point_json(report, setting, selection, selection.scores[*best]);
      one["fit_options"] = shell_text(fit_words(report, selection, selection.scores[*best]));
      one["repeat"] = fit_command(report, selection, selection.scores[*best]);
    }
    document["settings"].push_back(std::move(one));
  }
  document["seconds"] = report.result.seconds;
  if (!report.model.empty()) document["model"] = report.model;
  if (!report.plot.empty()) document["plot"] = report.plot;
  return document;
}

}  // namespace stkr::app
