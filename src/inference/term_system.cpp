#include "inference/term_system.hpp"

#include <cmath>

#include "estimator/leading_space.hpp"
#include "estimator/poisson_leading.hpp"
#include "estimator/ridge_unit.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

constexpr Index kLabelsAtOnce = 64;

}  // namespace

TermSystem::TermSystem(const FittedSystem& system, const AverageTerm& term, double total,
                       const Context& context)
    : system_(system) {
  const GramOperator& gram = *system.gram;
  const EncodedTargets& targets = system.targets;
  ActionOptions options;
  options.tolerance = inner_tolerance(system.tolerance);
  options.max_iterations = inner_iterations(system.max_iterations);
  options.dense_below = system.execution.factorize_below;
  if (std::holds_alternative<TruncationTransform>(term.transform.form())) {
    options.truncation_samples = samples_that_labels_reach(gram, targets.labeled);
  }
  if (std::holds_alternative<PoissonTransform>(term.transform.form())) {
    options.kept_groups =
        groups_of_equal_labels(gram.known_eigenspace(), targets.labeled, targets.y);
    label_weights_ = poisson_label_weights(*gram.known_eigenspace(), targets.labeled);
    centered_ = !targets.constant;
  }
  action_ = std::make_unique<SpectralAction>(gram, term.transform, std::move(options), context);

  const Index n = system.labels(), size = system.size();
  known_.resize(size, n);
  theta_.resize(size, n);
  if (gram.self_term() != 0.0) fresh_.resize(size, n);
  for_batches(n, kLabelsAtOnce, [&](Index first, Index count) {
    Matrix e = Matrix::Zero(size, count);
    for (Index k = 0; k < count; ++k) e(targets.labeled[first + k], k) = 1.0;
    TransformedPair pair = action_->apply_pair(e);
    known_.middleCols(first, count) = static_cast<double>(size) * product(gram, pair.known);
    if (fresh_.size() > 0) fresh_.middleCols(first, count) = pair.fresh;
    theta_.middleCols(first, count) = pair.known;
  });
  labeled_ = gather_rows(known_, targets.labeled);
  labeled_ = 0.5 * (labeled_ + labeled_.transpose()).eval();
  const double unit = ridge_unit(labeled_);
  for (const AverageTerm::Part& part : term.parts) {
    const double beta = paper_beta(part.ridge, n, unit);
    ridges_.push_back({part.weight / total, beta, solve(beta, n)});
  }
}

const Matrix& TermSystem::fresh() const { return fresh_.size() > 0 ? fresh_ : theta_; }

LinearSolution TermSystem::solve(double beta, Index labels) const {
  return linear_solution(labeled_, static_cast<double>(labels) * beta,
                         {.constant = system_.targets.constant,
                          .centered = centered_,
                          .label_weights = label_weights_});
}

Matrix TermSystem::columns(std::span<const Index> samples) const {
  const GramOperator& gram = *system_.gram;
  const auto count = static_cast<Index>(samples.size());
  Matrix result(gram.size(), count);
  for_batches(count, kLabelsAtOnce, [&](Index first, Index batch) {
    Matrix e = Matrix::Zero(gram.size(), batch);
    for (Index k = 0; k < batch; ++k) e(samples[first + k], k) = 1.0;
    Matrix theta(gram.size(), batch);
    action_->apply(e, theta);
    result.middleCols(first, batch) = static_cast<double>(gram.size()) * product(gram, theta);
  });
  return result;
}

}  // namespace stkr
