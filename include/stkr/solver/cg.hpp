#pragma once

#include "stkr/linop/known_eigenspace.hpp"
#include "stkr/linop/linear_operator.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

// Eigenvectors U of A known in closed form, A U = eigenvalue · U. The solution's part in U is
// written down and the iteration runs on the rest; residuals are those of the rest, relative to the
// whole of b.
struct Deflation {
  const KnownEigenspace* space = nullptr;
  double eigenvalue = 0.0;  // of A, not of the operator the space came from
};

struct CgOptions : SolverOptions {
  Deflation deflation{};
  // P⁻¹, symmetric positive definite: solver/nystrom_preconditioner makes one. Null: none.
  const LinearOperator* preconditioner = nullptr;
};

// Conjugate gradients (Hestenes and Stiefel 1952) for a symmetric positive definite A and all
// columns of B at once: each column has its own step lengths, all share the products. A column
// stops when its residual, recomputed, is below the tolerance. Where A turns out not to be positive
// definite the reason is `breakdown`, and the answer must not be used. A preconditioner shortens
// the iteration, but the residual that decides is that of A x = b itself. Memory: four N × C
// blocks, one more with a preconditioner. Cost per step: one product, three passes over blocks.
SolveResult solve_cg(const LinearOperator& a, ConstMatrixRef b, const CgOptions& options = {});

}  // namespace stkr
