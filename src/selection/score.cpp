#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/parallel.hpp"
#include "runtime/random.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/selection/select.hpp"

namespace stkr {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr Score kScores[] = {Score::accuracy, Score::balanced_accuracy, Score::macro_f1, Score::mse,
                             Score::r2};

// Whether the prediction for the k-th sample counts as a guess.
bool is_guess(const Predictions& predictions, std::size_t k, NoEvidence no_evidence) {
  return no_evidence == NoEvidence::guess && !predictions.evidence[k];
}

double evaluate_classes(Score score, const Predictions& predictions, const ClassLabels& truth,
                        std::span<const Index> samples, NoEvidence no_evidence) {
  const auto classes = static_cast<Index>(truth.names.size());
  Vector right = Vector::Zero(classes), actual = Vector::Zero(classes),
         answered = Vector::Zero(classes);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const std::int32_t code = truth.code[samples[k]];
    if (code == kUnlabeled) continue;
    actual[code] += 1.0;
    if (is_guess(predictions, k, no_evidence)) {
      const double chance = 1.0 / static_cast<double>(classes);
      answered.array() += chance;
      right[code] += chance;
      continue;
    }
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

// Positions in `samples` that have targets.
std::vector<Index> with_targets(const TargetValues& truth, std::span<const Index> samples) {
  std::vector<Index> present;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (!std::isnan(truth.values(samples[k], 0))) present.push_back(static_cast<Index>(k));
  }
  return present;
}

double mean_target(const TargetValues& truth, std::span<const Index> samples,
                   const std::vector<Index>& present, Index c) {
  double mean = 0.0;
  for (const Index k : present) mean += truth.values(samples[k], c);
  return mean / static_cast<double>(present.size());
}

// Squared error of target c at the k-th sample; for a guess, that of the mean if it is larger.
double squared_error(const Predictions& predictions, Index k, Index c, double value, double mean,
                     NoEvidence no_evidence) {
  const double own = std::pow(predictions.scores(k, c) - value, 2);
  if (!is_guess(predictions, static_cast<std::size_t>(k), no_evidence)) return own;
  return std::max(own, std::pow(value - mean, 2));
}

double evaluate_targets(Score score, const Predictions& predictions, const TargetValues& truth,
                        std::span<const Index> samples, NoEvidence no_evidence) {
  const std::vector<Index> present = with_targets(truth, samples);
  if (present.empty()) return kNone;
  double sum = 0.0;
  for (Index c = 0; c < truth.values.cols(); ++c) {
    const double mean = mean_target(truth, samples, present, c);
    double error = 0.0, spread = 0.0;
    for (const Index k : present) {
      const double value = truth.values(samples[k], c);
      error += squared_error(predictions, k, c, value, mean, no_evidence);
      spread += std::pow(value - mean, 2);
    }
    if (score == Score::mse) {
      sum += error / static_cast<double>(present.size());
    } else {
      // A constant target has no variance to explain: R² is 1 if it is exact, else 0.
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
  throw ParameterError(fmt::format(
      "score '{}' is unknown; expected accuracy, balanced-accuracy, macro-f1, mse or r2", name));
}

bool higher_is_better(Score score) { return score != Score::mse; }

void check_score(Score score, const Labels& truth) {
  const bool for_targets = score == Score::mse || score == Score::r2;
  const bool targets = std::holds_alternative<TargetValues>(truth);
  if (for_targets == targets) return;
  throw ParameterError(fmt::format(
      "score {} is for {}, but the labels are {}; choose {}", to_string(score),
      for_targets ? "regression" : "classes", targets ? "regression targets" : "classes",
      targets ? "mse or r2" : "accuracy, balanced-accuracy or macro-f1"));
}

double evaluate(Score score, const Predictions& predictions, const Labels& truth,
                std::span<const Index> samples, NoEvidence no_evidence) {
  if (const auto* classes = std::get_if<ClassLabels>(&truth)) {
    return evaluate_classes(score, predictions, *classes, samples, no_evidence);
  }
  return evaluate_targets(score, predictions, std::get<TargetValues>(truth), samples, no_evidence);
}

double smooth_loss(const Predictions& predictions, const Labels& truth,
                   std::span<const Index> samples, NoEvidence no_evidence) {
  const auto* classes = std::get_if<ClassLabels>(&truth);
  if (!classes) return evaluate(Score::mse, predictions, truth, samples, no_evidence);
  double sum = 0.0;
  Index counted = 0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const std::int32_t code = classes->code[samples[k]];
    if (code == kUnlabeled) continue;
    Vector share = predictions.scores.row(k).transpose().cwiseMax(0.0);
    const double total = share.sum();
    share = total > 0.0 ? Vector(share / total)
                        : Vector::Constant(share.size(), 1.0 / static_cast<double>(share.size()));
    share[code] -= 1.0;
    sum += share.squaredNorm();
    ++counted;
  }
  return counted > 0 ? sum / static_cast<double>(counted) : kNone;
}

std::vector<float> outcomes(const Predictions& predictions, const Labels& truth,
                            std::span<const Index> samples, NoEvidence no_evidence) {
  constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> result;
  if (const auto* classes = std::get_if<ClassLabels>(&truth)) {
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const bool present = classes->code[samples[k]] != kUnlabeled;
      result.push_back(!present ? kAbsent
                       : is_guess(predictions, k, no_evidence)
                           ? kGuess
                           : static_cast<float>(predictions.class_index[k]));
    }
    return result;
  }
  const auto& targets = std::get<TargetValues>(truth);
  const Index columns = targets.values.cols();
  result.assign(samples.size() * static_cast<std::size_t>(columns), kAbsent);
  const std::vector<Index> present = with_targets(targets, samples);
  for (Index c = 0; c < columns && !present.empty(); ++c) {
    const double mean = mean_target(targets, samples, present, c);
    for (const Index k : present) {
      const double value = targets.values(samples[k], c);
      result[k * columns + c] =
          static_cast<float>(squared_error(predictions, k, c, value, mean, no_evidence));
    }
  }
  return result;
}

namespace {

// A score from outcomes at some samples, each counted as often as it is listed.
double score_of_outcomes(Score score, const std::vector<float>& outcome, const Labels& truth,
                         std::span<const Index> samples, const std::vector<Index>& places) {
  if (const auto* classes = std::get_if<ClassLabels>(&truth)) {
    Predictions chosen;
    std::vector<Index> at;
    for (const Index k : places) {
      chosen.class_index.push_back(static_cast<Index>(outcome[k]));
      chosen.evidence.push_back(outcome[k] != kGuess);
      at.push_back(samples[k]);
    }
    return evaluate_classes(score, chosen, *classes, at, NoEvidence::guess);
  }
  const Matrix& values = std::get<TargetValues>(truth).values;
  const auto count = static_cast<double>(places.size());
  double sum = 0.0;
  for (Index c = 0; c < values.cols(); ++c) {
    double mean = 0.0, error = 0.0, spread = 0.0;
    for (const Index k : places) mean += values(samples[k], c) / count;
    for (const Index k : places) {
      error += outcome[k * values.cols() + c];
      spread += std::pow(values(samples[k], c) - mean, 2);
    }
    if (score == Score::r2 && !(spread > 0.0)) return kNone;
    sum += score == Score::mse ? error / count : 1.0 - error / spread;
  }
  return sum / static_cast<double>(values.cols());
}

}  // namespace

namespace {

// Positions by fold.
std::vector<std::vector<Index>> places_of_folds(std::span<const Index> fold) {
  const Index count = fold.empty() ? 0 : *std::max_element(fold.begin(), fold.end()) + 1;
  std::vector<std::vector<Index>> places(count);
  for (std::size_t k = 0; k < fold.size(); ++k) places[fold[k]].push_back(static_cast<Index>(k));
  return places;
}

double deviation(const std::vector<double>& values) {
  if (values.empty()) return kNone;
  const Eigen::Map<const Vector> v(values.data(), static_cast<Index>(values.size()));
  return std::sqrt((v.array() - v.mean()).square().mean());
}

}  // namespace

double score_deviation(Score score, const std::vector<float>& outcomes, const Labels& truth,
                       std::span<const Index> samples, std::span<const Index> fold) {
  std::vector<double> values;
  for (const std::vector<Index>& places : places_of_folds(fold)) {
    values.push_back(score_of_outcomes(score, outcomes, truth, samples, places));
  }
  return deviation(values);
}

double score_deviation(const OwnScore& score, const Predictions& predictions,
                       std::span<const Index> samples, std::span<const Index> fold) {
  std::vector<double> values;
  for (const std::vector<Index>& places : places_of_folds(fold)) {
    Predictions part;
    part.scores = gather_rows(predictions.scores, places);
    std::vector<Index> at;
    for (const Index k : places) {
      part.evidence.push_back(predictions.evidence[k]);
      at.push_back(samples[k]);
      if (predictions.class_index.empty()) continue;
      part.class_index.push_back(predictions.class_index[k]);
      part.tied.push_back(predictions.tied[k]);
    }
    try {
      values.push_back(score.value(part, at));
    } catch (const std::exception&) {
      return kNone;
    }
  }
  return deviation(values);
}

std::optional<double> expected_best(Score score, std::span<const std::vector<float>* const> points,
                                    const Labels& truth, std::span<const Index> samples,
                                    std::uint64_t seed) {
  constexpr int kDraws = 100;
  constexpr double kMostWork = 2e8;
  std::vector<Index> labeled;
  const std::size_t each =
      std::holds_alternative<ClassLabels>(truth)
          ? 1
          : static_cast<std::size_t>(std::get<TargetValues>(truth).values.cols());
  for (std::size_t k = 0; !points.empty() && k * each < points.front()->size(); ++k) {
    if (!std::isnan((*points.front())[k * each])) labeled.push_back(static_cast<Index>(k));
  }
  const auto n = static_cast<Index>(labeled.size());
  if (points.size() < 2 || n < 4) return std::nullopt;
  const double work = static_cast<double>(n) * static_cast<double>(points.size());
  const int draws = static_cast<int>(std::min<double>(kDraws, kMostWork / work));
  if (draws < 10) return std::nullopt;
  // All bags come from one sequence of numbers; their scores are independent.
  Random random(seed);
  std::vector<std::vector<Index>> bags(static_cast<std::size_t>(draws));
  for (std::vector<Index>& bag : bags) {
    for (Index i = 0; i < n; ++i) bag.push_back(random.below(n));
  }
  const double sign = higher_is_better(score) ? 1.0 : -1.0;
  std::vector<double> values_outside(bags.size(), kNone);
  parallel_tasks(draws, 0, [&](Index draw) {
    std::vector<Index> in_bag, out_of_bag;
    std::vector<char> drawn(n, 0);
    for (const Index k : bags[static_cast<std::size_t>(draw)]) {
      drawn[k] = 1;
      in_bag.push_back(labeled[k]);
    }
    for (Index i = 0; i < n; ++i) {
      if (!drawn[i]) out_of_bag.push_back(labeled[i]);
    }
    if (out_of_bag.empty()) return;
    // Ties are resolved by the mean over the tied points.
    double best = -std::numeric_limits<double>::infinity(), outside = 0.0;
    int equals = 0;
    for (const std::vector<float>* point : points) {
      const double value = sign * score_of_outcomes(score, *point, truth, samples, in_bag);
      if (std::isnan(value) || value < best) continue;
      if (value > best) {
        best = value;
        outside = 0.0;
        equals = 0;
      }
      outside += score_of_outcomes(score, *point, truth, samples, out_of_bag);
      ++equals;
    }
    if (equals > 0) values_outside[static_cast<std::size_t>(draw)] = outside / equals;
  });
  double sum = 0.0;
  int counted = 0;
  for (const double value : values_outside) {
    if (std::isnan(value)) continue;
    sum += value;
    ++counted;
  }
  if (counted == 0) return std::nullopt;
  return sum / counted;
}

}  // namespace stkr
