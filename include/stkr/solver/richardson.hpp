#pragma once

#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

struct RichardsonOptions : SolverOptions {
  double step_size = 0.0;  // γ; required, from a bound on the spectrum of A
};

// Richardson iteration x ← x - γ(A x - b), the loop of the paper's Algorithm 1 (alg:richardson) and
// Algorithm 2 (alg:richardson-inverse), for all columns at once. As in the paper, a column stops
// when ‖A x - b‖ < ε‖b‖; max_iterations is the early stopping T of the paper's transductive grid. A
// need not be symmetric (M of Algorithm 2 is not). If a residual grows far beyond its start, the
// reason is `diverged`: γ is too large, or no γ suits the eigenvalues of A.
SolveResult solve_richardson(const LinearOperator& a, ConstMatrixRef b,
                             const RichardsonOptions& options, const Context& context = {});

}  // namespace stkr
