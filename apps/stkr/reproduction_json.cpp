#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reproduction_names.hpp"
#include "stkr/version.hpp"

namespace stkr::app {

using nlohmann::json;

namespace {

json optional_number(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

}  // namespace

json reproduction_json(const ReproductionReport& reproduction) {
  json document{
      {"version", kVersion},
      {"command", reproduction.command},
      {"solver", to_string(reproduction.solver)},
      {"no_evidence", to_string(reproduction.no_evidence)},
      {"seeds", reproduction.seeds},
      {"threads", reproduction.threads},
      {"seconds", reproduction.seconds},
      {"experiments", {{"computed", reproduction.computed}, {"resumed", reproduction.resumed}}},
      {"missing", reproduction.missing},
      {"warnings", reproduction.warnings},
      {"failures", reproduction.failures}};
  document["rows"] = json::array();
  for (const ReproducedExhibit& exhibit : reproduction.exhibits) {
    for (const ReproducedCell& cell : exhibit.cells) {
      const Comparison& comparison = cell.comparison;
      const bool paper = comparison.paper.has_value();
      json choices = json::array();
      for (const GridScore& choice : cell.choices) {
        choices.push_back(
            {{"parameter", choice.point.parameter},
             {"beta", has_ridge(choice.point.family) ? json(choice.point.beta) : json(nullptr)},
             {"iterations",
              choice.point.iterations > 0 ? json(choice.point.iterations) : json(nullptr)},
             {"validation", 100.0 * choice.validation},
             {"test", 100.0 * choice.test.value()},
             {"test_no_evidence", choice.test_no_evidence}});
      }
      document["rows"].push_back(
          {{"exhibit", to_string(exhibit.exhibit)},
           {"dataset", cell.dataset->name},
           {"setting", to_string(cell.cell.setting)},
           {"method", to_string(cell.cell.method)},
           {"p_test", cell.cell.p_test},
           {"parameter", optional_number(cell.cell.parameter)},
           {"mean", comparison.mean},
           {"std", optional_number(comparison.std)},
           {"paper_mean", paper ? json(comparison.paper->mean) : json(nullptr)},
           {"paper_std", paper ? json(comparison.paper->std) : json(nullptr)},
           {"seeds", comparison.seeds},
           {"difference", optional_number(comparison.difference)},
           {"interval", comparison.interval
                            ? json{comparison.interval->low, comparison.interval->high}
                            : json(nullptr)},
           {"seconds", cell.seconds},
           {"choices", std::move(choices)}});
    }
  }
  return document;
}

}  // namespace stkr::app
