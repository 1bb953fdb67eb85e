#include "solver/dense.hpp"

#include <gtest/gtest.h>

#include "dense_operator.hpp"
#include "stkr/error.hpp"

namespace stkr::dense_test {
namespace {

TEST(Dense, SolvesDefiniteAndIndefiniteSystems) {
  for (const double smallest : {0.1, -1.05}) {
    const Matrix a = with_spectrum(Vector::LinSpaced(40, smallest, 2.0), 1);
    const Matrix x = random_matrix(40, 3, 2);
    const SolveResult result = solve_dense(a, a * x);
    ASSERT_TRUE(result.summary.converged());
    EXPECT_LT((result.solution - x).norm(), 1e-9);
    EXPECT_EQ(result.summary.solver, smallest > 0 ? "direct" : "direct, indefinite");
  }
}

TEST(Dense, SaysThatAZeroMatrixIsSingular) {
  const SolveResult result = solve_dense(Matrix::Zero(3, 3), Matrix::Ones(3, 1));
  EXPECT_FALSE(result.summary.converged());
  EXPECT_NE(result.summary.message.find("singular"), std::string::npos);
}

TEST(Dense, RejectsShapesThatDisagree) {
  EXPECT_THROW(solve_dense(Matrix::Ones(3, 2), Matrix::Ones(3, 1)), ShapeError);
  EXPECT_THROW(solve_dense(Matrix::Ones(3, 3), Matrix::Ones(2, 1)), ShapeError);
}

}  // namespace
}  // namespace stkr::dense_test
