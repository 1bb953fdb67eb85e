#pragma once

#include "stkr/linop/known_eigenspace.hpp"
#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

// Eigenvectors U of A known in closed form, A U = eigenvalue · U. The part of the solution in U is
// computed directly and the iteration runs on the rest; residuals are those of the rest, relative
// to all of b.
struct Deflation {
  const KnownEigenspace* space = nullptr;
  double eigenvalue = 0.0;  // of A, not of the operator that provided the space
};

template <class Block>
struct BasicCgOptions : BasicSolverOptions<Block> {
  Deflation deflation{};
  // P⁻¹, symmetric positive definite, such as a NystromPreconditioner. Null: none.
  const BasicLinearOperator<Block>* preconditioner = nullptr;
};
using CgOptions = BasicCgOptions<Matrix>;

// Conjugate gradients (Hestenes and Stiefel 1952) for a symmetric positive definite A and all
// columns of B at once: each column has its own step lengths, all share the products. A column
// stops when its recomputed residual is below the tolerance. If A turns out not to be positive
// definite, the reason is `breakdown` and the solution must not be used. A preconditioner shortens
// the iteration, but convergence is decided by the residual of A x = b itself. Memory: four N × C
// blocks, one more with a preconditioner. Cost per step: one product, three passes over blocks.
template <class Block>
BasicSolveResult<Block> solve_cg(const BasicLinearOperator<Block>& a, ConstBlockView<Block> b,
                                 const BasicCgOptions<Block>& options = {},
                                 const Context& context = {});

// MINRES (Paige and Saunders 1975) for a symmetric A that may be indefinite: graph kernels are not
// positive semidefinite, and N·EᵀsE + nβI inherits that for small β. Solves all columns of B at
// once, each with its own recurrence and convergence.
// Memory: eight N × C blocks. Cost per step: one product, six passes over blocks.
template <class Block>
BasicSolveResult<Block> solve_minres(const BasicLinearOperator<Block>& a, ConstBlockView<Block> b,
                                     const BasicSolverOptions<Block>& options = {},
                                     const Context& context = {});

}  // namespace stkr
