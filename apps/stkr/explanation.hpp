#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "new_sample_stream.hpp"
#include "refit.hpp"
#include "stkr/inference/inference.hpp"

namespace stkr::app {

// The sample that `predict --explain` is about.
struct ExplainedSample {
  Index index = 0;   // among the fitted samples, or the new ones
  std::string name;  // may be empty
  std::optional<NewSamples> fresh{};
};

// Finds a fitted sample, or a new one, by its name or else its index, before any work. Throws
// CLI::ValidationError if there is none.
ExplainedSample find_fitted_sample(const std::string& given, const Model& model);
ExplainedSample find_new_sample(const std::string& given, const NewSampleOptions& options,
                                const Model& model);

// Why a sample has its scores.
struct Explanation {
  ExplainedSample sample;
  Predictions prediction;  // one row
  // In the units of the scores, which class sizes may scale.
  Contributions parts;
  struct Path {
    Index label;                 // the labeled sample where it ends
    std::vector<Index> samples;  // from the sample on, or, if that is new, from a known one
  };
  std::vector<Path> paths{};  // of the strongest labels, on sparse kernels
};
Explanation explain(const Model& model, const Refitted& refitted, ExplainedSample sample,
                    const Context& context);

std::string explanation_text(const Explanation& explanation, const Model& model,
                             const Refitted& refitted);
// With all labels and all outputs.
nlohmann::json explanation_json(const Explanation& explanation, const Model& model,
                                const Refitted& refitted);

}  // namespace stkr::app
