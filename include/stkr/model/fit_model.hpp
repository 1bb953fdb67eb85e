#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stkr/estimator/label_reach.hpp"
#include "stkr/model/model.hpp"
#include "stkr/model/prepare_gram.hpp"

namespace stkr {

struct FittedModel {
  Model model;
  FitSummary summary;
  std::vector<Choice> choices;
  std::optional<LabelReach> reach;  // none if the gram does not know its components
  std::optional<SpectralEmbedding> embedding;
};

// Fits a model to data with the strategy that plan/plan chooses. Moves the samples into the model;
// `dataset` keeps its labels. Throws MemoryError, with the numbers, if nothing fits in
// context.memory.
FittedModel fit_model(Dataset& dataset, const Specification& spec, const Context& context = {});

// Fits a model to a caller's own gram and labels. `info` may describe the data.
FittedModel fit_prepared(PreparedGram prepared, const Labels& labels, const Specification& spec,
                         const Execution& execution = {}, const Context& context = {},
                         ModelInfo info = {});

// A checksum of samples and labels (and features), to tell models apart.
std::string fingerprint(const Dataset& dataset, bool features);

}  // namespace stkr
