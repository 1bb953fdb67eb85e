#pragma once

#include <cstdint>

#include "stkr/linop/linear_operator.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

struct EigenpairOptions {
  double tolerance = 1e-9;   // on ‖A u - λ u‖ relative to the largest |eigenvalue|
  int max_iterations = 6;    // attempts, each with a better filter
  int filter_degree = 200;   // of the polynomial, at most
  Index dense_below = 1500;  // smaller operators are made explicit and given to LAPACK
  std::uint64_t seed = 1;
  int threads = 0;
  SolveControl control{};
};

// The `count` largest eigenvalues by algebraic value and their orthonormal eigenvectors.
struct Eigenpairs {
  Vector values;     // decreasing
  Matrix vectors;    // N × count
  Vector residuals;  // ‖A u - λ u‖ / max|λ|, each
  SolveSummary summary;
};

// Block Lanczos on a Chebyshev polynomial of A that raises the wanted end of the spectrum above the
// rest; the density of the spectrum (Lanczos quadrature) says where to cut. All its work is block
// products, and the space ends at about one and a half times `count` dimensions. Multiple
// eigenvalues are found with all their copies: the complement of the pairs is searched for what was
// overlooked. Memory: two N × count blocks and the space. Not converging is a result (summary).
// Throws ValueError unless 0 ≤ count ≤ N, Cancelled when stopped.
Eigenpairs top_eigenpairs(const LinearOperator& op, Index count,
                          const EigenpairOptions& options = {});

}  // namespace stkr
