#pragma once

#include <memory>
#include <optional>

#include "certainty.hpp"
#include "explanation.hpp"
#include "predict_options.hpp"

namespace stkr::app {

// What `predict` needs the repeated fit for; empty if it asks nothing of this kind.
struct Answered {
  std::optional<Refitted> refitted{};
  std::unique_ptr<Certainty> certainty{};
  std::optional<Explanation> explanation{};
};

// Repeats the fit if that is needed, before anything is written. Throws as Refit does, and
// DataError if the model cannot answer.
Answered answer_questions(const PredictArguments& arguments, const Model& model);

}  // namespace stkr::app
