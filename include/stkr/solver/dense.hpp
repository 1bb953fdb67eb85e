#pragma once

#include <vector>

#include "stkr/solver/summary.hpp"

namespace stkr {

// An explicit symmetric matrix, factorised once for any number of right-hand sides: Cholesky, or
// where it is not positive definite Bunch-Kaufman, A = L D Lᵀ.
class DenseFactorization {
 public:
  // Throws ShapeError unless A is square, ValueError where it is not finite.
  explicit DenseFactorization(ConstMatrixRef a);

  bool positive_definite() const { return pivots_.empty(); }
  bool singular() const { return singular_; }

  // A⁻¹ b; zero where A is singular.
  Matrix solve(ConstMatrixRef b) const;

 private:
  Eigen::MatrixXd factor_;
  std::vector<int> pivots_;  // of Bunch-Kaufman
  bool singular_ = false;
};

// A x = b for an explicit symmetric A: Cholesky, and where A is not positive definite the
// Bunch-Kaufman factorisation A = L D Lᵀ, whose name the summary then carries ("direct,
// indefinite"). Throws ShapeError unless A is square and b matches.
SolveResult solve_dense(ConstMatrixRef a, ConstMatrixRef b, const SolverOptions& options = {});

}  // namespace stkr
