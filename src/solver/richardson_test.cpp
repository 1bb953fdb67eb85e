#include "stkr/solver/richardson.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "dense_operator.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

TEST(Richardson, ConvergesWithAStepBelowTwoOverTheLargestEigenvalue) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(30, 0.2, 2.0), 1));
  const Matrix b = random_matrix(30, 2, 2);
  RichardsonOptions options;
  options.tolerance = 1e-12;
  options.step_size = 0.9;
  const SolveResult result = solve_richardson(a, b, options);
  ASSERT_TRUE(result.summary.converged());
  EXPECT_LT((result.solution - a.matrix().partialPivLu().solve(b)).norm(), 1e-10);
}

TEST(Richardson, DetectsDivergence) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(30, 0.2, 2.0), 1));
  RichardsonOptions options;
  options.step_size = 1.5;
  const SolveResult result = solve_richardson(a, random_matrix(30, 2, 2), options);
  EXPECT_EQ(result.summary.reason, StopReason::diverged);
  EXPECT_NE(result.summary.message.find("step size"), std::string::npos);
}

TEST(Richardson, StopsEarlyAfterExactlyTSteps) {
  const DenseOperator a(Matrix::Identity(3, 3) * 0.5);
  RichardsonOptions options;
  options.step_size = 1.0;
  options.max_iterations = 2;
  const SolveResult result = solve_richardson(a, Matrix::Ones(3, 1), options);
  EXPECT_EQ(result.summary.reason, StopReason::max_iterations);
  // x = (1 + 1/2) b after two steps of x ← x - (x/2 - b).
  EXPECT_NEAR((result.solution - Matrix::Constant(3, 1, 1.5)).norm(), 0.0, 1e-15);
}

TEST(Richardson, NeedsAStepSize) {
  const DenseOperator a(Matrix::Identity(3, 3));
  EXPECT_THROW(solve_richardson(a, Matrix::Ones(3, 1), {}), ValueError);
}

}  // namespace
}  // namespace stkr
