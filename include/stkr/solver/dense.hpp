#pragma once

#include <vector>

#include "stkr/solver/summary.hpp"

namespace stkr {

// An explicit symmetric matrix, factorised once for any number of right-hand sides: Cholesky, or
// where it is not positive definite Bunch-Kaufman, A = L D Lᵀ.
class DenseFactorization {
 public:
  // Throws ShapeError unless A is square, ValueError where it is not finite, Cancelled where
  // `cancel` comes.
  explicit DenseFactorization(ConstMatrixRef a, const std::stop_token& cancel = {});

  bool positive_definite() const { return factors_.pivots.empty(); }
  bool singular() const { return factors_.singular; }

  // A⁻¹ b; zero where A is singular.
  Matrix solve(ConstMatrixRef b) const;

 private:
  struct Factors {
    Eigen::MatrixXd factor;
    std::vector<int> pivots;  // of Bunch-Kaufman
    bool singular = false;
  };
  static Factors factorize(Eigen::MatrixXd a);

  Factors factors_;
};

// A x = b for an explicit symmetric A: Cholesky, and where A is not positive definite the
// Bunch-Kaufman factorisation A = L D Lᵀ, whose name the summary then carries ("direct,
// indefinite"). Throws ShapeError unless A is square and b matches.
SolveResult solve_dense(ConstMatrixRef a, ConstMatrixRef b, const SolverOptions& options = {});

}  // namespace stkr
