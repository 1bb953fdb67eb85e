#include "stkr/solver/minres.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "dense_operator.hpp"
#include "solver/diagonalize.hpp"

namespace stkr {
namespace {

TEST(Minres, SolvesIndefiniteSystemsAndAgreesWithDiagonalization) {
  Vector spectrum(60);
  for (Index i = 0; i < 60; ++i) spectrum[i] = (i % 2 ? 1.0 : -1.0) * (0.05 + 0.02 * i);
  const DenseOperator a(with_spectrum(spectrum, 1));
  const Matrix b = random_matrix(60, 5, 2);
  const SolveResult result = solve_minres(a, b, {.tolerance = 1e-12});
  ASSERT_TRUE(result.summary.converged()) << result.summary.message;
  const Matrix expected = a.matrix().partialPivLu().solve(b);
  EXPECT_LT((result.solution - expected).norm(), 1e-9);
  EXPECT_LT((DiagonalizedSystem(a.matrix()).solve(0.0, b).solution - expected).norm(), 1e-10);
}

TEST(Minres, LeavesAZeroRightHandSideAtZero) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(20, -1, 1), 3));
  Matrix b = random_matrix(20, 2, 4);
  b.col(1).setZero();
  const SolveResult result = solve_minres(a, b);
  ASSERT_TRUE(result.summary.converged());
  EXPECT_EQ(result.solution.col(1).norm(), 0.0);
}

TEST(Minres, IsExactWhenTheKrylovSpaceIsExhausted) {
  const DenseOperator a(with_spectrum((Vector(4) << 2, 2, -1, -1).finished(), 5));
  const Matrix b = random_matrix(4, 3, 6);
  const SolveResult result = solve_minres(a, b, {.tolerance = 1e-13});
  EXPECT_TRUE(result.summary.converged());
  EXPECT_LE(result.summary.iterations, 4);
}

TEST(Minres, SaysSoWhenASingularSystemHasNoSolution) {
  const DenseOperator a(with_spectrum((Vector(3) << 1, -1, 0).finished(), 7));
  const SolveResult result = solve_minres(a, random_matrix(3, 1, 8));
  EXPECT_FALSE(result.summary.converged());
  EXPECT_FALSE(result.summary.message.empty());
}

}  // namespace
}  // namespace stkr
