// The posterior of new samples: K̂_s(x,x) of a new sample needs more than its kernel row.

#include <fmt/format.h>

#include <cmath>

#include "estimator/poisson_leading.hpp"
#include "inference/label_rows.hpp"
#include "inference/posterior_mixture.hpp"
#include "inference/posterior_paths.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/theory/transformed_kernel.hpp"

namespace stkr {
namespace {

constexpr Index kNewAtOnce = 64;

[[noreturn]] void fail_without_own_kernel() {
  throw ValueError(
      "uncertainty: K(x, x) of new samples is not known for a kernel that is given by its values; "
      "ask for the fitted samples");
}

// K̂_s(x,x) of the Poisson transform. It removes the leading eigenvector u of each component, whose
// value at a new sample is u_x = Σ_j S°_xj u_j/(λ₁ - δ); with s, q and h of the inverse Laplacian,
//   K̂_s(x,x) = N s(δ)(1 - u_x²) + q(δ)(K°(x,x) - N(λ₁ - δ) u_x²) + v h(S)(I - uuᵀ) vᵀ/N.
// In a component that keeps only its eigenvector, N u_x² times its weight.
Vector poisson_diagonal(const FittedSystem& system, const TermSystem& term,
                        const PlacedSamples& placed, const Context& context) {
  const GramOperator& gram = *system.gram;
  const auto rows = placed.rows();
  const auto own = placed.diagonal();
  if (!rows || !own) fail_without_own_kernel();
  const auto size = static_cast<double>(gram.size());
  const double delta = gram.self_term();
  const auto& form = std::get<PoissonTransform>(term.action().transform().form());
  const PoissonLeading leading(
      gram, form.eta,
      groups_of_equal_labels(gram.known_eigenspace(), system.targets.labeled, system.targets.y));
  const KnownEigenspace& space = leading.space();
  const double eta = leading.eta(), distance = space.eigenvalue() - delta;
  const double at = 1.0 - eta * delta;
  const Matrix v = rows->transpose();  // N × M
  const Matrix u = space.coefficients(v, context.threads) / (size * distance);
  const Vector weight = leading.known_factors() * space.eigenvalue();  // s at kept eigenvectors
  Matrix rest = v;
  leading.restrict_to_rest(rest, context.threads);
  const Matrix solved = [&] {
    Matrix result(rest.rows(), rest.cols());
    term.action().apply(rest, result);
    return result;
  }();
  Vector result(v.cols());
  for (Index i = 0; i < v.cols(); ++i) {
    double kept = 0.0, removed = 0.0, through_kept = 0.0;
    for (Index k = 0; k < u.rows(); ++k) {
      const double square = u(k, i) * u(k, i);
      (weight[k] > 0.0 ? kept : removed) += square * (weight[k] > 0.0 ? weight[k] : 1.0);
      if (weight[k] > 0.0) through_kept += square;
    }
    if (through_kept > 0.0) {
      result[i] = size * kept;
      continue;
    }
    result[i] = size * delta / at * (1.0 - removed) +
                ((*own)[i] - size * distance * removed) / (at * at) +
                eta / (at * at) * rest.col(i).dot(solved.col(i)) / size;
  }
  return result;
}

Vector own_kernel(const FittedSystem& system, const TermSystem& term, const NewSamples& samples,
                  const LabelRows& rows, const Context& context) {
  if (std::holds_alternative<PoissonTransform>(term.action().transform().form())) {
    return poisson_diagonal(system, term, *rows.placed(), context);
  }
  Vector result(samples.count());
  for_batches(samples.count(), kNewAtOnce, [&](Index first, Index count) {
    const TransformedKernel kernel =
        transformed_kernel(*system.gram, term.action().transform(),
                           KernelSamples{.fresh = samples.slice(first, count)},
                           {.tolerance = 0.1 * system.tolerance}, context);
    result.segment(first, count) = kernel.values.diagonal();
  });
  return result;
}

}  // namespace

Posterior exact_posterior(const FittedSystem& system, const NewSamples& samples,
                          const Context& context) {
  check_system(system, "uncertainty");
  const LabelRows rows(system, samples);
  PosteriorMixture mixture(system, rows.count());
  for_terms(system, context, [&](const TermSystem& term) {
    const Matrix k = rows(term);
    Vector own = own_kernel(system, term, samples, rows, context);
    if (const auto& twins = rows.twins()) {
      // A sample equal to known ones has the variance of the first of them.
      for (Index i = 0; i < rows.count(); ++i) {
        if (twins->count(i) == 0) continue;
        const Index equal[] = {twins->sample[static_cast<std::size_t>(twins->row_start[i])]};
        own[i] = transformed_diagonal(term, equal)[0];
      }
    }
    for (const TermRidge& ridge : term.ridges()) {
      const Vector noise = label_noise(term, ridge, system.labels());
      mixture.add(ridge, noise, k, own - explained_variance(ridge, system.targets.constant, k));
    }
  });
  return mixture.result(0.0);
}

Posterior posterior(const FittedSystem& system, const NewSamples& samples,
                    const PosteriorOptions& options, const Context& context) {
  if (system.gram && system.size() > options.exact_size &&
      samples.count() > options.exact_samples) {
    return PreparedPosterior(system, options, context)(samples, context);
  }
  return exact_posterior(system, samples, context);
}

}  // namespace stkr
