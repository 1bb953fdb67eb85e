#pragma once

#include "stkr/solver/summary.hpp"

namespace stkr {

// A x = b for an explicit symmetric A: Cholesky, and where A is not positive definite the
// Bunch-Kaufman factorisation A = L D Lᵀ, whose name the summary then carries ("direct,
// indefinite"). Throws ShapeError unless A is square and b matches.
SolveResult solve_dense(ConstMatrixRef a, ConstMatrixRef b, const SolverOptions& options = {});

}  // namespace stkr
