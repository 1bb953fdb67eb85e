#pragma once

#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

template <class Block>
struct BasicRichardsonOptions : BasicSolverOptions<Block> {
  double step_size = 0.0;  // γ; required, from a bound on the spectrum of A
};
using RichardsonOptions = BasicRichardsonOptions<Matrix>;

// Richardson iteration x ← x - γ(A x - b), the loop of the paper's Algorithm 1 (alg:richardson) and
// Algorithm 2 (alg:richardson-inverse), for all columns at once. As in the paper, a column stops
// when ‖A x - b‖ < ε‖b‖; max_iterations is the early stopping T of the paper's transductive grid. A
// need not be symmetric (M of Algorithm 2 is not). If a residual grows far beyond its start, the
// reason is `diverged`: γ is too large, or no γ suits the eigenvalues of A.
template <class Block>
BasicSolveResult<Block> solve_richardson(const BasicLinearOperator<Block>& a,
                                         ConstBlockView<Block> b,
                                         const BasicRichardsonOptions<Block>& options,
                                         const Context& context = {});

}  // namespace stkr
