#include "estimator/embedding.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stkr/error.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {

SpectralEmbedding spectral_embedding(const GramOperator& gram, Index d, const Context& context) {
  Eigenpairs pairs = top_eigenpairs(gram, d, {}, context);
  if (pairs.summary.reason == StopReason::cancelled) throw Cancelled("stopped by the caller");
  // S u = λ u. At a new sample S lacks its self term δ: S° u = (λ - δ) u.
  const double delta = gram.self_term();
  const Index usable =
      d > 0 ? (pairs.values.array() > delta + 1e-12 * std::abs(pairs.values[0])).count() : 0;
  if (usable < d) {
    throw ValueError(fmt::format(
        "an embedding of {} dimensions was requested, but the kernel has only {} {} on these "
        "samples; choose {} or fewer",
        d, usable,
        delta > 0.0 ? fmt::format("eigenvalues above its self term {:g}", delta)
                    : "positive eigenvalues",
        usable));
  }
  SpectralEmbedding result;
  // u_i = Σ_j K(x_i, x_j) u_j/(N(λ - δ)) without the sample's own term; √N u has mean square 1.
  const double root_size = std::sqrt(static_cast<double>(gram.size()));
  result.values = root_size * pairs.vectors;
  for (Index k = 0; k < d; ++k) {
    // Eigenvectors are unique up to sign: make the largest entry positive.
    Index at = 0;
    pairs.vectors.col(k).cwiseAbs().maxCoeff(&at);
    const double sign = pairs.vectors(at, k) < 0.0 ? -1.0 : 1.0;
    result.values.col(k) *= sign;
    pairs.vectors.col(k) *= sign / (root_size * (pairs.values[k] - delta));
  }
  if (const Vector* root = gram.root_weights()) {
    for (Index i = 0; i < gram.size(); ++i) {
      result.values.row(i) *= (*root)[i] > 0.0 ? 1.0 / (*root)[i] : 0.0;
    }
  }
  result.eigenvalues = std::move(pairs.values);
  result.coefficients = std::move(pairs.vectors);
  return result;
}

}  // namespace stkr
