#include "stkr/selection/score.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr Score kScores[] = {Score::accuracy, Score::balanced_accuracy, Score::macro_f1, Score::mse,
                             Score::r2};

double evaluate_classes(Score score, const Predictions& predictions, const ClassLabels& truth,
                        std::span<const Index> samples) {
  const auto classes = static_cast<Index>(truth.names.size());
  Vector right = Vector::Zero(classes), actual = Vector::Zero(classes),
         answered = Vector::Zero(classes);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const std::int32_t code = truth.code[samples[k]];
    if (code == kUnlabeled) continue;
    actual[code] += 1.0;
    answered[predictions.class_index[k]] += 1.0;
    right[code] += predictions.class_index[k] == code;
  }
  if (actual.sum() == 0.0) return kNone;
  if (score == Score::accuracy) return right.sum() / actual.sum();
  double sum = 0.0;
  Index counted = 0;
  for (Index c = 0; c < classes; ++c) {
    if (actual[c] == 0.0) continue;
    sum += score == Score::balanced_accuracy ? right[c] / actual[c]
                                             : 2.0 * right[c] / (actual[c] + answered[c]);
    ++counted;
  }
  return sum / static_cast<double>(counted);
}

double evaluate_targets(Score score, const Predictions& predictions, const TargetValues& truth,
                        std::span<const Index> samples) {
  std::vector<Index> present;  // places in `samples`
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (!std::isnan(truth.values(samples[k], 0))) present.push_back(static_cast<Index>(k));
  }
  if (present.empty()) return kNone;
  double sum = 0.0;
  for (Index c = 0; c < truth.values.cols(); ++c) {
    double mean = 0.0, error = 0.0, spread = 0.0;
    for (const Index k : present) mean += truth.values(samples[k], c);
    mean /= static_cast<double>(present.size());
    for (const Index k : present) {
      const double value = truth.values(samples[k], c);
      error += std::pow(predictions.scores(k, c) - value, 2);
      spread += std::pow(value - mean, 2);
    }
    if (score == Score::mse) {
      sum += error / static_cast<double>(present.size());
    } else {
      // A constant target has no variance to explain: right or wrong is all there is.
      sum += spread > 0.0 ? 1.0 - error / spread : (error > 0.0 ? 0.0 : 1.0);
    }
  }
  return sum / static_cast<double>(truth.values.cols());
}

}  // namespace

const char* to_string(Score score) {
  switch (score) {
    case Score::accuracy:
      return "accuracy";
    case Score::balanced_accuracy:
      return "balanced-accuracy";
    case Score::macro_f1:
      return "macro-f1";
    case Score::mse:
      return "mse";
    case Score::r2:
      return "r2";
  }
  return "unknown";
}

Score score_from_name(const std::string& name) {
  for (const Score score : kScores) {
    if (name == to_string(score)) return score;
  }
  throw ValueError(fmt::format(
      "score '{}' is unknown; expected accuracy, balanced-accuracy, macro-f1, mse or r2", name));
}

bool higher_is_better(Score score) { return score != Score::mse; }

void check_score(Score score, const Labels& truth) {
  const bool for_targets = score == Score::mse || score == Score::r2;
  const bool targets = std::holds_alternative<TargetValues>(truth);
  if (for_targets == targets) return;
  throw ValueError(fmt::format("score {} is for {}, but the labels are {}; choose {}",
                               to_string(score), for_targets ? "numbers" : "classes",
                               targets ? "numbers" : "classes",
                               targets ? "mse or r2" : "accuracy, balanced-accuracy or macro-f1"));
}

double evaluate(Score score, const Predictions& predictions, const Labels& truth,
                std::span<const Index> samples) {
  if (const auto* classes = std::get_if<ClassLabels>(&truth)) {
    return evaluate_classes(score, predictions, *classes, samples);
  }
  return evaluate_targets(score, predictions, std::get<TargetValues>(truth), samples);
}

}  // namespace stkr
