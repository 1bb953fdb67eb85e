#pragma once

#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

// MINRES (Paige and Saunders 1975) for a symmetric A that may be indefinite: graph kernels are not
// positive semidefinite, and N·EᵀsE + nβI inherits that for small β. Solves all columns of B at
// once, each with its own recurrence and convergence.
// Memory: eight N × C blocks. Cost per step: one product, six passes over blocks.
template <class Block>
BasicSolveResult<Block> solve_minres(const BasicLinearOperator<Block>& a, ConstBlockView<Block> b,
                                     const BasicSolverOptions<Block>& options = {},
                                     const Context& context = {});

}  // namespace stkr
