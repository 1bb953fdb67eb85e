#pragma once

#include <cstdint>

#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

struct EigenpairOptions {
  double tolerance = 1e-9;   // on ‖A u - λ u‖ relative to the largest |eigenvalue|
  int max_iterations = 6;    // attempts, each with a better filter
  int filter_degree = 200;   // maximum degree of the polynomial
  Index dense_below = 1500;  // smaller operators are made explicit and solved by LAPACK
};

// The `count` largest eigenvalues by algebraic value and their orthonormal eigenvectors.
template <class Block>
struct BasicEigenpairs {
  Vector values;     // decreasing
  Block vectors;     // N × count
  Vector residuals;  // ‖A u - λ u‖ / max|λ| per pair
  SolveSummary summary;
};
using Eigenpairs = BasicEigenpairs<Matrix>;

// Block Lanczos on a Chebyshev polynomial of A that amplifies the wanted end of the spectrum; the
// cut is placed by the spectral density (Lanczos quadrature). All work is block products, and the
// space ends at about 1.5 times `count` dimensions. Multiple eigenvalues are found with all their
// copies: the complement of the pairs is searched for missed ones. Memory: two N × count blocks and
// the space. Failure to converge is a result (summary). Throws ValueError unless 0 ≤ count ≤ N,
// Cancelled if cancellation is requested.
template <class Block>
BasicEigenpairs<Block> top_eigenpairs(const BasicLinearOperator<Block>& op, Index count,
                                      const EigenpairOptions& options = {},
                                      const Context& context = {});

}  // namespace stkr
