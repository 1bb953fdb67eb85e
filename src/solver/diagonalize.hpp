#pragma once

#include "solver/symmetric_eigen.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

// (A + shift·I) x = b for one symmetric A = U Λ Uᵀ and any number of shifts: after one
// decomposition, every ridge β costs two small products. A may be indefinite as long as no
// eigenvalue of A + shift·I vanishes.
class DiagonalizedSystem {
 public:
  explicit DiagonalizedSystem(ConstMatrixRef a, const std::stop_token& cancel = {});

  SolveResult solve(double shift, ConstMatrixRef b, const SolverOptions& options = {}) const;

  const Vector& eigenvalues() const { return eigen_.values; }

 private:
  SymmetricEigen eigen_;
};

}  // namespace stkr
