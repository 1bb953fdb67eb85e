#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "inference/suggestion_process.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/decision.hpp"
#include "stkr/inference/inference.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

// A sum of weighted variances, or the variance of a sum.
struct Objective {
  bool survey = false;
  Vector weights;  // of the variances

  double value(const SuggestionProcess& process, Index x) const {
    const Vector& column = process.column(x);
    const double gain = survey ? std::pow(column.sum(), 2) : column.cwiseAbs2().dot(weights);
    return gain / (process.variance(x) + process.noise(x));
  }

  // The same for all samples, from the random functions.
  Vector estimate(const SuggestionProcess& process) const {
    const Matrix& paths = process.paths();
    const auto count = static_cast<double>(paths.cols());
    const Vector variance = paths.rowwise().squaredNorm() / count;
    Vector gain;
    if (survey) {
      const Vector sums = paths.colwise().sum().transpose();
      gain = (paths * sums / count).cwiseAbs2();
    } else {
      const Matrix products = paths.transpose() * (weights.asDiagonal() * paths);
      gain = (paths * products).cwiseProduct(paths).rowwise().sum() / (count * count);
      // Squares of estimates are too large by their variance: E Ĉ_jx² = C_jx² + (C_jx² + C_jj
      // C_xx)/m and E Ĉ_jj Ĉ_xx = C_jj C_xx + 2 C_jx²/m.
      gain -= variance * (variance.dot(weights) / count);
      gain /= 1.0 + 1.0 / count - 2.0 / (count * count);
    }
    Vector divisor = variance;
    for (Index x = 0; x < divisor.size(); ++x) {
      divisor[x] += process.noise_of(process.estimated_prior()[x]);
    }
    return gain.cwiseQuotient(divisor);
  }

  // What it is at present: exactly if the columns of all `candidates` are there, else estimated.
  double total(const SuggestionProcess& process, const std::vector<Index>& candidates) const {
    const Matrix& paths = process.paths();
    if (paths.size() > 0) {
      const auto count = static_cast<double>(paths.cols());
      return survey ? paths.colwise().sum().squaredNorm() / count
                    : paths.rowwise().squaredNorm().dot(weights) / count;
    }
    double sum = 0.0;
    for (const Index x : candidates) {
      sum += survey ? process.column(x).sum() : weights[x] * process.variance(x);
    }
    return sum;
  }
};

// w of the criterion `error`: doubt relative to the prior variance, 0 where the label is known.
Vector relative_weights(const SuggestionProcess& process, const std::vector<Index>& candidates,
                        const Vector& doubt, Index size) {
  Vector weights = Vector::Zero(size);
  const bool exact = process.paths().size() == 0;
  for (const Index x : candidates) {
    const double prior = exact ? process.prior_variance(x) : process.estimated_prior()[x];
    if (prior > 1e-8 * std::abs(process.labeled_prior())) {
      weights[x] = (doubt.size() > 0 ? doubt[x] : 1.0) / prior;
    }
  }
  return weights;
}

// Counts labels and suggestions per class.
class Balance {
 public:
  Balance(const FittedSystem& system, const std::vector<Index>& classes, bool used)
      : classes_(classes) {
    const auto* decision = std::get_if<ClassDecision>(&system.targets.decision);
    if (!decision || !used || classes.empty()) return;
    counts_ = Vector::Zero(static_cast<Index>(decision->names.size()));
    for (const Index c : decision->classes) counts_[c] += 1.0;
  }

  // 1 for a class with the mean number of labels, at most 2 for one with fewer, at least 1/2.
  double factor(Index x) const {
    if (counts_.size() == 0) return 1.0;
    const double own = counts_[classes_[static_cast<std::size_t>(x)]];
    return std::clamp((counts_.mean() + 1.0) / (own + 1.0), 0.5, 2.0);
  }
  void take(Index x) {
    if (counts_.size() > 0) counts_[classes_[static_cast<std::size_t>(x)]] += 1.0;
  }

 private:
  const std::vector<Index>& classes_;
  Vector counts_;
};

// The candidates with the largest estimates, in ascending order.
std::vector<Index> most_promising(const std::vector<Index>& candidates, const Vector& estimate,
                                  Index count) {
  std::vector<Index> result = candidates;
  const auto most = std::min<std::size_t>(candidates.size(), static_cast<std::size_t>(count));
  std::partial_sort(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(most),
                    result.end(), [&](Index a, Index b) {
                      return estimate[a] != estimate[b] ? estimate[a] > estimate[b] : a < b;
                    });
  result.resize(most);
  std::sort(result.begin(), result.end());
  return result;
}

void check(const FittedSystem& system, const PresentPredictions& predictions,
           const SuggestOptions& options) {
  check_system(system, "suggest");
  const auto& [classes, doubt] = predictions;
  if (!classes.empty() && static_cast<Index>(classes.size()) != system.size()) {
    throw ShapeError(fmt::format("suggest: predicted classes of {} samples, expected {}",
                                 classes.size(), system.size()));
  }
  if (doubt.size() > 0 && doubt.size() != system.size()) {
    throw ShapeError(fmt::format("suggest: the doubt about {} samples, expected {}", doubt.size(),
                                 system.size()));
  }
  if (doubt.size() > 0 && !(doubt.array() >= 0.0 && doubt.array() <= 1.0).all()) {
    throw ValueError("suggest: the doubt about a sample is a probability; expected 0 to 1");
  }
  const Index candidates = system.size() - system.labels();
  if (options.count < 1 || options.count > candidates) {
    throw ParameterError(fmt::format("suggest: {} samples; expected 1 to {}, the unlabeled ones",
                                     options.count, candidates));
  }
}

}  // namespace

PresentPredictions present_predictions(const Decision& decision, const Predictions& fitted) {
  PresentPredictions result{fitted.class_index, {}};
  // Shares of scores are no probabilities: far from the border they are 1.
  if (const auto* classes = std::get_if<ClassDecision>(&decision);
      classes && classes->calibration) {
    const Matrix probabilities = class_probabilities(*classes, fitted);
    result.doubt = (1.0 - probabilities.rowwise().maxCoeff().array()).cwiseMax(0.0);
  }
  return result;
}

std::vector<Suggestion> suggest(const FittedSystem& system, const PresentPredictions& predictions,
                                const SuggestOptions& options, const Context& context) {
  check(system, predictions, options);
  const bool relative = options.criterion == SuggestionCriterion::error &&
                        std::holds_alternative<ClassDecision>(system.targets.decision);
  SuggestionProcess process(system, relative, context);
  Balance balance(system, predictions.classes, options.balance);
  std::vector<Index> candidates = unlabeled_samples(system.size(), system.targets.labeled);
  const bool exact = system.size() <= options.exact_size;
  if (exact) {
    process.prepare(candidates);
  } else {
    process.draw(options.probes, context);
  }
  const Objective objective{
      options.criterion == SuggestionCriterion::survey,
      relative ? relative_weights(process, candidates, predictions.doubt, system.size())
               : Vector::Ones(system.size())};
  const double before = objective.total(process, candidates);
  std::vector<Suggestion> result;
  while (static_cast<Index>(result.size()) < options.count) {
    context.check_cancelled();
    std::vector<Index> shortlist = candidates;
    if (!exact) {
      Vector estimate = objective.estimate(process);
      for (const Index x : candidates) estimate[x] *= balance.factor(x);
      shortlist = most_promising(candidates, estimate, options.shortlist);
      process.prepare(shortlist);
    }
    std::optional<Index> best;
    double best_value = 0.0;
    for (const Index x : shortlist) {
      const double value = balance.factor(x) * objective.value(process, x);
      if (best && value <= best_value) continue;
      best = x;
      best_value = value;
    }
    const auto& classes = predictions.classes;
    const double value = objective.value(process, *best);
    result.push_back({*best, before > 0.0 ? value / before : 0.0, process.variance(*best),
                      classes.empty() ? Index{-1} : classes[static_cast<std::size_t>(*best)]});
    process.take(*best);
    balance.take(*best);
    std::erase(candidates, *best);
  }
  return result;
}

}  // namespace stkr
