#include <gtest/gtest.h>

#include <Eigen/LU>

#include "dense_operator.hpp"
#include "on_blocks.hpp"
#include "solver/diagonalize.hpp"
#include "stkr/solver/krylov.hpp"

namespace stkr::minres_test {
namespace {

template <class Block>
class Minres : public OnBlocks<Block> {};
TYPED_TEST_SUITE(Minres, BlockTypes, BlockNames);

TYPED_TEST(Minres, SolvesIndefiniteSystemsAndAgreesWithDiagonalization) {
  Vector spectrum(60);
  for (Index i = 0; i < 60; ++i) spectrum[i] = (i % 2 ? 1.0 : -1.0) * (0.05 + 0.02 * i);
  const DenseOperator a(with_spectrum(spectrum, 1));
  const Matrix b = random_matrix(60, 5, 2);
  const SolveResult result = minres_on<TypeParam>(a, b, {.tolerance = 1e-12});
  ASSERT_TRUE(result.summary.converged()) << result.summary.message;
  const Matrix expected = a.matrix().partialPivLu().solve(b);
  EXPECT_LT((result.solution - expected).norm(), 1e-9);
  EXPECT_LT((DiagonalizedSystem(a.matrix()).solve(0.0, b).solution - expected).norm(), 1e-10);
}

TYPED_TEST(Minres, LeavesAZeroRightHandSideAtZero) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(20, -1, 1), 3));
  Matrix b = random_matrix(20, 2, 4);
  b.col(1).setZero();
  const SolveResult result = minres_on<TypeParam>(a, b);
  ASSERT_TRUE(result.summary.converged());
  EXPECT_EQ(result.solution.col(1).norm(), 0.0);
}

TYPED_TEST(Minres, IsExactWhenTheKrylovSpaceIsExhausted) {
  const DenseOperator a(with_spectrum((Vector(4) << 2, 2, -1, -1).finished(), 5));
  const Matrix b = random_matrix(4, 3, 6);
  const SolveResult result = minres_on<TypeParam>(a, b, {.tolerance = 1e-13});
  EXPECT_TRUE(result.summary.converged());
  EXPECT_LE(result.summary.iterations, 4);
}

TYPED_TEST(Minres, SaysSoWhenASingularSystemHasNoSolution) {
  const DenseOperator a(with_spectrum((Vector(3) << 1, -1, 0).finished(), 7));
  const SolveResult result = minres_on<TypeParam>(a, random_matrix(3, 1, 8));
  EXPECT_FALSE(result.summary.converged());
  EXPECT_FALSE(result.summary.message.empty());
}

TYPED_TEST(Minres, StartsFromAnInitialSolution) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(80, -1.0, 1.5), 2));
  Matrix b = random_matrix(80, 3, 3);
  b.col(1).setZero();
  const Matrix x = a.matrix().partialPivLu().solve(b);
  const Matrix near = x + 1e-7 * random_matrix(80, 3, 4);
  const SolverOptions cold{.tolerance = 1e-10};
  const SolverOptions warm{.tolerance = 1e-10, .initial = &near};
  const SolverOptions none{.tolerance = 1e-10, .initial = &x};
  const SolveResult result = minres_on<TypeParam>(a, b, warm);
  ASSERT_TRUE(result.summary.converged()) << result.summary.message;
  EXPECT_LT(result.summary.iterations, minres_on<TypeParam>(a, b, cold).summary.iterations);
  EXPECT_LT((a.matrix() * result.solution - b).norm(), 1e-10 * b.norm());
  EXPECT_EQ(result.solution.col(1).norm(), 0.0);
  EXPECT_EQ(minres_on<TypeParam>(a, b, none).summary.iterations, 0);
}

}  // namespace
}  // namespace stkr::minres_test
