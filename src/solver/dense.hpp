#pragma once

#include <vector>

#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

// An explicit symmetric matrix, factorized once for any number of right-hand sides: by Cholesky or,
// if it is not positive definite, by Bunch-Kaufman, A = L D Lᵀ.
class DenseFactorization {
 public:
  // Throws ShapeError unless A is square, ValueError if it is not finite, Cancelled if cancellation
  // is requested.
  explicit DenseFactorization(ConstMatrixRef a, const std::stop_token& cancel = {});

  bool positive_definite() const { return factors_.pivots.empty(); }
  bool singular() const { return factors_.singular; }

  // A⁻¹ b; zero if A is singular.
  Matrix solve(ConstMatrixRef b) const;

 private:
  struct Factors {
    Eigen::MatrixXd factor;
    std::vector<int> pivots;  // for Bunch-Kaufman
    bool singular = false;
  };
  static Factors factorize(Eigen::MatrixXd a);

  Factors factors_;
};

// A x = b for an explicit symmetric A, by Cholesky or, if A is not positive definite, by the
// Bunch-Kaufman factorization A = L D Lᵀ, which the summary reports as "direct, indefinite". Throws
// ShapeError unless A is square and b matches.
SolveResult solve_dense(ConstMatrixRef a, ConstMatrixRef b, const SolverOptions& options = {},
                        const Context& context = {});

}  // namespace stkr
