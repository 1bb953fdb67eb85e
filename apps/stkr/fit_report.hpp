#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "data_summary.hpp"
#include "stkr/inference/inference.hpp"
#include "stkr/selection/fit_automatic.hpp"

namespace stkr::app {

// What `stkr fit` says about a fit.
struct FitReport {
  std::string data;
  const AutomaticFit& fit;
  std::optional<HiddenScore> score;
  Index without_evidence = 0;
  Index tied = 0;
  std::vector<Suggestion> suggested;
  std::string repeat;                   // the command that repeats a choice; may be empty
  std::string output, unreached, page;  // files
};

void print_fit_report(const FitReport& report);

// Everything but the data and the plan.
nlohmann::json fit_json(const FitReport& report, DatasetKind kind,
                        const std::vector<std::string>& notes);

nlohmann::json summary_json(const FitSummary& summary);
nlohmann::json tried_json(const AutomaticFit& fit, const std::string& repeat);
nlohmann::json suggestions_json(const std::vector<Suggestion>& suggested, const Model& model);

}  // namespace stkr::app
