#include "solver/richardson.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "dense_operator.hpp"
#include "on_blocks.hpp"
#include "stkr/error.hpp"

namespace stkr::richardson_test {
namespace {

template <class Block>
class Richardson : public OnBlocks<Block> {};
TYPED_TEST_SUITE(Richardson, BlockTypes, BlockNames);

TYPED_TEST(Richardson, ConvergesWithAStepBelowTwoOverTheLargestEigenvalue) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(30, 0.2, 2.0), 1));
  const Matrix b = random_matrix(30, 2, 2);
  RichardsonOptions options;
  options.tolerance = 1e-12;
  options.step_size = 0.9;
  const SolveResult result = richardson_on<TypeParam>(a, b, options);
  ASSERT_TRUE(result.summary.converged());
  EXPECT_LT((result.solution - a.matrix().partialPivLu().solve(b)).norm(), 1e-10);
}

TYPED_TEST(Richardson, DetectsDivergence) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(30, 0.2, 2.0), 1));
  RichardsonOptions options;
  options.step_size = 1.5;
  const SolveResult result = richardson_on<TypeParam>(a, random_matrix(30, 2, 2), options);
  EXPECT_EQ(result.summary.reason, StopReason::diverged);
  EXPECT_NE(result.summary.message.find("step size"), std::string::npos);
}

TYPED_TEST(Richardson, StopsEarlyAfterExactlyTSteps) {
  const DenseOperator a(Matrix::Identity(3, 3) * 0.5);
  RichardsonOptions options;
  options.step_size = 1.0;
  options.max_iterations = 2;
  const SolveResult result = richardson_on<TypeParam>(a, Matrix::Ones(3, 1), options);
  EXPECT_EQ(result.summary.reason, StopReason::max_iterations);
  // x = (1 + 1/2) b after two steps of x ← x - (x/2 - b).
  EXPECT_NEAR((result.solution - Matrix::Constant(3, 1, 1.5)).norm(), 0.0, 1e-15);
}

TYPED_TEST(Richardson, StartsFromAnInitialSolution) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(30, 0.2, 2.0), 1));
  Matrix b = random_matrix(30, 3, 2);
  b.col(1).setZero();
  const Matrix x = a.matrix().partialPivLu().solve(b);
  const Matrix near = x + 1e-6 * random_matrix(30, 3, 3);
  RichardsonOptions options;
  options.step_size = 0.9;
  const SolveResult cold = richardson_on<TypeParam>(a, b, options);
  options.initial = &near;
  const SolveResult warm = richardson_on<TypeParam>(a, b, options);
  ASSERT_TRUE(warm.summary.converged());
  EXPECT_LT(warm.summary.iterations, cold.summary.iterations);
  EXPECT_LT((warm.solution - x).norm(), 1e-6);
  EXPECT_EQ(warm.solution.col(1).norm(), 0.0);
  options.initial = &x;
  EXPECT_EQ(richardson_on<TypeParam>(a, b, options).summary.iterations, 0);
}

TYPED_TEST(Richardson, NeedsAStepSize) {
  const DenseOperator a(Matrix::Identity(3, 3));
  EXPECT_THROW(richardson_on<TypeParam>(a, Matrix::Ones(3, 1), {}), ValueError);
}

}  // namespace
}  // namespace stkr::richardson_test
