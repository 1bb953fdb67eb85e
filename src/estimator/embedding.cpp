#include "stkr/estimator/embedding.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stkr/error.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {

SpectralEmbedding spectral_embedding(const GramOperator& gram, Index d, std::uint64_t seed,
                                     int threads, const SolveControl& control) {
  EigenpairOptions options;
  options.seed = seed;
  options.threads = threads;
  options.control = control;
  Eigenpairs pairs = top_eigenpairs(gram, d, options);
  if (pairs.summary.reason == StopReason::cancelled) throw Cancelled("stopped by the caller");
  const Index positive =
      d > 0 ? (pairs.values.array() > 1e-12 * std::abs(pairs.values[0])).count() : 0;
  if (positive < d) {
    throw ValueError(fmt::format(
        "an embedding of {} dimensions was asked for, but the kernel has only {} positive "
        "eigenvalues on these samples; choose {} or fewer",
        d, positive, positive));
  }
  // S u = λ u, so u_i = Σ_j K(x_i, x_j) u_j/(Nλ); √N u has mean square 1.
  const double root = std::sqrt(static_cast<double>(gram.size()));
  for (Index k = 0; k < d; ++k) {
    // Eigenvectors are known up to sign: the largest entry is positive.
    Index at = 0;
    pairs.vectors.col(k).cwiseAbs().maxCoeff(&at);
    pairs.vectors.col(k) *= (pairs.vectors(at, k) < 0.0 ? -1.0 : 1.0) / (root * pairs.values[k]);
  }
  return {std::move(pairs.values), std::move(pairs.vectors)};
}

}  // namespace stkr
