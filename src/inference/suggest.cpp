#include "stkr/inference/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "inference/posterior_paths.hpp"
#include "inference/term_system.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

// The system with the one transform and ridge that has the largest weight.
FittedSystem heaviest(const FittedSystem& system) {
  const AverageTerm* best = nullptr;
  std::size_t at = 0;
  for (const AverageTerm& term : system.terms) {
    for (std::size_t k = 0; k < term.parts.size(); ++k) {
      if (best && best->parts[at].weight >= term.parts[k].weight) continue;
      best = &term;
      at = k;
    }
  }
  FittedSystem result = system;
  result.terms = {{best->transform, {{best->parts[at].ridge, 1.0}}}};
  return result;
}

// The posterior covariance, column by column, given labels and suggestions so far.
class Covariance {
 public:
  Covariance(const FittedSystem& system, const TermSystem& term)
      : system_(system),
        term_(term),
        ridge_(term.ridges().front()),
        noise_(label_noise(term, ridge_, system.labels()).mean()) {}

  double noise() const { return noise_; }

  // Computes the columns of these samples if they are not there yet.
  void prepare(const std::vector<Index>& samples) {
    std::vector<Index> missing;
    for (const Index x : samples) {
      if (!columns_.contains(x)) missing.push_back(x);
    }
    if (missing.empty()) return;
    Matrix block = term_.columns(missing);
    const Matrix k = gather_rows(term_.known(), missing);
    const Matrix& inverse = ridge_.solution.inverse;
    block -= term_.known() * (inverse * k.transpose());
    if (system_.targets.constant) {
      const Vector ones = inverse.rowwise().sum();
      const Vector all = Vector::Ones(system_.size()) - term_.known() * ones;
      block += all * gather_rows(all, missing).transpose() / ones.sum();
    }
    for (std::size_t j = 0; j < missing.size(); ++j) {
      Vector column = block.col(static_cast<Index>(j));
      for (const Taken& taken : taken_) {
        column -= taken.column * (taken.column[missing[j]] / taken.divisor);
      }
      columns_.emplace(missing[j], std::move(column));
    }
  }

  const Vector& column(Index x) const { return columns_.at(x); }

  // Conditions on a label at x.
  void take(Index x) {
    Taken taken{columns_.at(x), columns_.at(x)[x] + noise_};
    for (auto& [sample, column] : columns_) {
      column -= taken.column * (taken.column[sample] / taken.divisor);
    }
    taken_.push_back(std::move(taken));
  }

 private:
  struct Taken {
    Vector column;
    double divisor;
  };
  const FittedSystem& system_;
  const TermSystem& term_;
  const TermRidge& ridge_;
  double noise_;
  std::map<Index, Vector> columns_;
  std::vector<Taken> taken_;
};

double value_of(const Vector& column, Index x, double noise, SuggestionCriterion criterion) {
  const double gain =
      criterion == SuggestionCriterion::variance ? column.squaredNorm() : std::pow(column.sum(), 2);
  return gain / (std::max(column[x], 0.0) + noise);
}

// The criterion for all samples from random functions with the covariance.
Vector estimated_values(const Matrix& paths, double noise, SuggestionCriterion criterion) {
  const auto count = static_cast<double>(paths.cols());
  const Vector variance = paths.rowwise().squaredNorm() / count;
  Vector gain;
  if (criterion == SuggestionCriterion::variance) {
    const Matrix products = paths.transpose() * paths;
    gain = (paths * products).cwiseProduct(paths).rowwise().sum() / (count * count);
  } else {
    const Vector sums = paths.colwise().sum().transpose();
    gain = (paths * sums / count).cwiseAbs2();
  }
  return gain.cwiseQuotient((variance.array() + noise).matrix());
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

void check(const FittedSystem& system, const std::vector<Index>& classes,
           const SuggestOptions& options) {
  check_system(system, "suggest");
  if (!classes.empty() && static_cast<Index>(classes.size()) != system.size()) {
    throw ShapeError(fmt::format("suggest: predicted classes of {} samples, expected {}",
                                 classes.size(), system.size()));
  }
  const Index candidates = system.size() - system.labels();
  if (options.count < 1 || options.count > candidates) {
    throw ParameterError(fmt::format("suggest: {} samples; expected 1 to {}, the unlabeled ones",
                                     options.count, candidates));
  }
}

}  // namespace

std::vector<Suggestion> suggest(const FittedSystem& given, const std::vector<Index>& classes,
                                const SuggestOptions& options, const Context& context) {
  check(given, classes, options);
  const FittedSystem system = heaviest(given);
  const TermSystem term(system, system.terms.front(), 1.0, context);
  Covariance covariance(system, term);
  Balance balance(system, classes, options.balance);
  std::vector<Index> candidates = unlabeled_samples(system.size(), system.targets.labeled);
  const bool exact = system.size() <= options.exact_size;
  Random random(context.seed);
  Matrix paths =
      posterior_paths(term, term.ridges().front(), system,
                      prior_paths(term, system, options.probes, random, context), random);
  if (exact) covariance.prepare(candidates);
  const double noise = covariance.noise();
  // What the criterion is before any suggestion: a sum of variances, or the variance of a sum.
  double before = options.criterion == SuggestionCriterion::variance
                      ? paths.squaredNorm() / static_cast<double>(paths.cols())
                      : paths.colwise().sum().squaredNorm() / static_cast<double>(paths.cols());
  if (exact) {
    before = 0.0;
    for (const Index x : candidates) {
      const Vector& column = covariance.column(x);
      before += options.criterion == SuggestionCriterion::variance ? column[x] : column.sum();
    }
  }
  std::vector<Suggestion> result;
  while (static_cast<Index>(result.size()) < options.count) {
    context.check_cancelled();
    std::vector<Index> shortlist = candidates;
    if (!exact) {
      Vector estimate = estimated_values(paths, noise, options.criterion);
      for (const Index x : candidates) estimate[x] *= balance.factor(x);
      const auto most =
          std::min<std::size_t>(candidates.size(), static_cast<std::size_t>(options.shortlist));
      std::partial_sort(shortlist.begin(), shortlist.begin() + static_cast<std::ptrdiff_t>(most),
                        shortlist.end(), [&](Index a, Index b) {
                          return estimate[a] != estimate[b] ? estimate[a] > estimate[b] : a < b;
                        });
      shortlist.resize(most);
      std::sort(shortlist.begin(), shortlist.end());
      covariance.prepare(shortlist);
    }
    std::optional<Index> best;
    double best_value = 0.0;
    for (const Index x : shortlist) {
      const double value =
          balance.factor(x) * value_of(covariance.column(x), x, noise, options.criterion);
      if (best && value <= best_value) continue;
      best = x;
      best_value = value;
    }
    const Vector column = covariance.column(*best);
    const double variance = std::max(column[*best], 0.0);
    result.push_back({*best, value_of(column, *best, noise, options.criterion) / before, variance,
                      classes.empty() ? Index{-1} : classes[static_cast<std::size_t>(*best)]});
    // The random functions, too, are conditioned on a label there.
    Eigen::RowVectorXd observed = paths.row(*best);
    for (Index j = 0; j < observed.size(); ++j) observed[j] += std::sqrt(noise) * random.normal();
    paths -= column * observed / (variance + noise);
    covariance.take(*best);
    balance.take(*best);
    std::erase(candidates, *best);
  }
  return result;
}

}  // namespace stkr
