#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/answer_summary.hpp"
#include "report/run_page.hpp"
#include "stkr/selection/fit_automatic.hpp"

namespace stkr::report {

// What is known about a fit besides its model.
struct FitRecord {
  FitSummary summary;
  std::vector<Choice> choices;
  std::optional<LabelReach> reach;
  std::optional<FitDiagnostics> diagnostics;
  Specification spec;
  std::vector<TriedAutomatically> tried;
  std::string scored_by;
};
FitRecord record_of(const AutomaticFit& fit);

// What a page about a fit shows. References must be valid during the call.
struct FitPage {
  std::string data;  // "digits: 1,797 points x 64 features, 10 classes, 100 labeled"
  const Model& model;
  const FitRecord& record;
  const Labels& labels;                    // as fitted; may be empty
  const Labels& truth;                     // all that are known; may be `labels`
  std::span<const std::string> names{};    // of the samples; empty: numbers
  const SharedMatrix* features = nullptr;  // of the samples, for pictures
  std::optional<PictureShape> picture{};   // of a sample
  Facts repeat{};                          // what the caller knows about repeating the run
};
RunPage fit_page(const FitPage& input);

// Adds what is known about a model and its answers: class shares, evidence, uncertain samples.
// `truth` of the samples may be empty.
void add_answers(const Model& model, const AnswerSummary& answers, const Labels& truth,
                 const std::optional<PictureShape>& picture, RunPage& page);

// A page about predictions of a model. `answers` were collected from them.
struct PredictionPage {
  std::string title;
  const Model& model;
  const AnswerSummary& answers;
  std::vector<std::string> warnings{};
  std::optional<PictureShape> picture{};
  Facts repeat{};
};
RunPage prediction_page(const PredictionPage& input);

}  // namespace stkr::report
