#pragma once

#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

// ψ_1, ..., ψ_d: the leading eigenfunctions of K, with mean square 1 over the training samples. At
// a new sample, ψ_k(x) = Σ_i K(x, x_i) b_ik.
struct SpectralEmbedding {
  Vector eigenvalues;   // λ_1 ≥ ... ≥ λ_d > 0
  Matrix values;        // ψ at the known samples: N × d
  Matrix coefficients;  // b: N × d
};

// The embedding of all N samples. Throws ValueError if fewer than d eigenvalues of S are positive
// and above its self term, and Cancelled if cancellation is requested.
SpectralEmbedding spectral_embedding(const GramOperator& gram, Index d,
                                     const Context& context = {});

}  // namespace stkr
