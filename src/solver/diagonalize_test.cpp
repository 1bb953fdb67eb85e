#include "solver/diagonalize.hpp"

#include <gtest/gtest.h>

#include "dense_operator.hpp"
#include "solver/dense.hpp"
#include "stkr/error.hpp"

namespace stkr::diagonalize_test {
namespace {

TEST(Diagonalize, SolvesEveryShiftFromOneDecomposition) {
  const Matrix a = with_spectrum(Vector::LinSpaced(30, -0.5, 1.0), 1);
  const Matrix b = random_matrix(30, 4, 2);
  const DiagonalizedSystem system(a);
  for (const double shift : {1e-3, 0.51, 10.0}) {
    const SolveResult result = system.solve(shift, b);
    ASSERT_TRUE(result.summary.converged());
    const Matrix shifted = a + shift * Matrix::Identity(30, 30);
    EXPECT_LT((result.solution - solve_dense(shifted, b).solution).norm(),
              1e-10 * (1.0 + result.solution.norm()));
  }
}

TEST(Diagonalize, RefusesAShiftThatMakesTheSystemSingular) {
  const DiagonalizedSystem system(Matrix::Identity(3, 3));
  const SolveResult result = system.solve(-1.0, Matrix::Ones(3, 1));
  EXPECT_FALSE(result.summary.converged());
  EXPECT_NE(result.summary.message.find("singular"), std::string::npos);
}

TEST(Diagonalize, OrdersEigenvaluesFromTheLargest) {
  const DiagonalizedSystem system(with_spectrum((Vector(3) << 1, 3, 2).finished(), 3));
  EXPECT_LT((system.eigenvalues() - (Vector(3) << 3, 2, 1).finished()).norm(), 1e-14);
}

TEST(Diagonalize, RejectsAMatrixThatIsNotSquare) {
  EXPECT_THROW(DiagonalizedSystem(Matrix::Ones(2, 3)), ShapeError);
}

TEST(Diagonalize, IsLeftBehindWhenAskedToStop) {
  const Matrix a = Matrix::Identity(900, 900);
  std::stop_source source;
  EXPECT_EQ(symmetric_eigen(a, source.get_token()).values, Vector::Ones(900));
  source.request_stop();
  EXPECT_THROW(DiagonalizedSystem(a, source.get_token()), Cancelled);
  EXPECT_THROW(symmetric_eigen_top(a, 3, source.get_token()), Cancelled);
}

// Equal eigenvalues split LAPACK's tridiagonal matrix into blocks; pairs must still be in order.
TEST(SymmetricEigen, OrdersTheTopPairsOfEqualEigenvalues) {
  Vector spectrum = Vector::Ones(200);
  spectrum[0] = 3.0;
  spectrum[1] = 2.0;
  const Matrix a = with_spectrum(spectrum, 4);
  for (const Index count : {1, 2, 6, 84}) {
    const SymmetricEigen top = symmetric_eigen_top(a, count);
    EXPECT_LT((top.values - spectrum.head(count)).norm(), 1e-12) << count;
    EXPECT_LT((a * top.vectors - top.vectors * top.values.asDiagonal()).norm(), 1e-11) << count;
    EXPECT_LT((top.vectors.transpose() * top.vectors - Matrix::Identity(count, count)).norm(),
              1e-11)
        << count;
  }
}

}  // namespace
}  // namespace stkr::diagonalize_test
