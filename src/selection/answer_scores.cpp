#include "selection/answer_scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "stkr/error.hpp"
#include "stkr/selection/select.hpp"

namespace stkr {
namespace {

std::vector<Index> every_sample(Index count) {
  std::vector<Index> samples(static_cast<std::size_t>(count));
  std::iota(samples.begin(), samples.end(), Index{0});
  return samples;
}

void expect_rows(Index found, Index samples, const char* what) {
  if (found == samples) return;
  throw ShapeError(fmt::format("{} {} for the truth of {} samples; expected one per sample", found,
                               what, samples));
}

[[noreturn]] void nothing_to_score() {
  throw ValueError("no sample has a true label, so there is nothing to score");
}

double log_loss_of(const ClassLabels& truth, const Matrix& probabilities,
                   std::span<const std::string> columns) {
  constexpr double kLeast = std::numeric_limits<double>::epsilon();
  std::vector<Index> place(truth.names.size(), -1);
  for (std::size_t c = 0; c < truth.names.size(); ++c) {
    const auto found = std::find(columns.begin(), columns.end(), truth.names[c]);
    if (found != columns.end()) place[c] = static_cast<Index>(found - columns.begin());
  }
  double sum = 0.0;
  Index counted = 0;
  for (std::size_t i = 0; i < truth.code.size(); ++i) {
    if (truth.code[i] == kUnlabeled) continue;
    const Index column = place[static_cast<std::size_t>(truth.code[i])];
    const double p = column < 0 ? 0.0 : probabilities(static_cast<Index>(i), column);
    sum -= std::log(std::max(p, kLeast));
    ++counted;
  }
  return sum / static_cast<double>(counted);
}

}  // namespace

ClassScores score_classes(const ClassLabels& truth, std::span<const std::string> predicted,
                          const std::optional<Matrix>& probabilities,
                          std::span<const std::string> columns) {
  const auto size = static_cast<Index>(truth.code.size());
  expect_rows(static_cast<Index>(predicted.size()), size, "predictions");
  if (probabilities) expect_rows(probabilities->rows(), size, "rows of probabilities");
  ClassLabels all = truth;
  Predictions predictions;
  predictions.evidence.assign(predicted.size(), 1);
  for (const std::string& name : predicted) {
    auto found = std::find(all.names.begin(), all.names.end(), name);
    if (found == all.names.end()) found = all.names.insert(all.names.end(), name);
    predictions.class_index.push_back(found - all.names.begin());
  }
  ClassScores scores;
  scores.classes = all.names;
  scores.confusion.assign(all.names.size(), std::vector<Index>(all.names.size(), 0));
  for (std::size_t i = 0; i < all.code.size(); ++i) {
    if (all.code[i] == kUnlabeled) continue;
    ++scores.samples;
    ++scores.confusion[static_cast<std::size_t>(all.code[i])]
                      [static_cast<std::size_t>(predictions.class_index[i])];
  }
  if (scores.samples == 0) nothing_to_score();
  const std::vector<Index> samples = every_sample(size);
  scores.accuracy = evaluate(Score::accuracy, predictions, all, samples);
  scores.balanced_accuracy = evaluate(Score::balanced_accuracy, predictions, all, samples);
  scores.macro_f1 = evaluate(Score::macro_f1, predictions, all, samples);
  if (probabilities) scores.log_loss = log_loss_of(truth, *probabilities, columns);
  return scores;
}

TargetScores score_targets(const TargetValues& truth, ConstMatrixRef predicted) {
  const Index size = truth.values.rows();
  expect_rows(predicted.rows(), size, "predictions");
  if (predicted.cols() != truth.values.cols()) {
    throw ShapeError(fmt::format("predictions of {} targets, but the truth has {}",
                                 predicted.cols(), truth.values.cols()));
  }
  Predictions predictions;
  predictions.scores = predicted;
  predictions.evidence.assign(static_cast<std::size_t>(size), 1);
  TargetScores scores;
  double sum = 0.0;
  for (Index i = 0; i < size; ++i) {
    if (truth.values.row(i).array().isNaN().any()) continue;
    ++scores.samples;
    sum += (truth.values.row(i) - predicted.row(i)).cwiseAbs().mean();
  }
  if (scores.samples == 0) nothing_to_score();
  const std::vector<Index> samples = every_sample(size);
  scores.mean_absolute_error = sum / static_cast<double>(scores.samples);
  scores.r2 = evaluate(Score::r2, predictions, truth, samples);
  scores.root_mean_squared_error = std::sqrt(evaluate(Score::mse, predictions, truth, samples));
  return scores;
}

}  // namespace stkr
