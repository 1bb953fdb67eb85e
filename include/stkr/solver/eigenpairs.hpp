#pragma once

#include <cstdint>

#include "stkr/linop/linear_operator.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

struct EigenpairOptions {
  double tolerance = 1e-9;   // on ‖A u - λ u‖ relative to the largest |eigenvalue|
  int max_iterations = 300;  // filtered sweeps
  int filter_degree = 200;   // at most so many products per sweep and column
  Index dense_below = 1500;  // smaller operators are made explicit and given to LAPACK
  std::uint64_t seed = 1;
  // N × at most `count`: approximate eigenvectors to start from, say those of a similar operator.
  const Matrix* start = nullptr;
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

// Chebyshev-filtered subspace iteration (Zhou, Saad, Tiago and Chelikowsky 2006): all its work is
// block products. A polynomial that stays below 1 on the unwanted part of the spectrum and grows
// fast above it is applied to a block a quarter larger than `count`, then Rayleigh-Ritz; pairs that
// have converged are locked. Departures: the density of the spectrum (Lanczos quadrature) places
// the first cuts, and panels of columns are filtered one by one, each with a degree of its own.
// Cost: about 150 products with the block for 512 pairs of a graph to 1e-5, and two or three times
// some 5 N·block² operations. Throws ValueError unless 0 ≤ count ≤ N, ShapeError where `start` does
// not fit, Cancelled when stopped before there are any pairs.
Eigenpairs top_eigenpairs(const LinearOperator& op, Index count,
                          const EigenpairOptions& options = {});

}  // namespace stkr
