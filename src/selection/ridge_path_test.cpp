#include "stkr/selection/ridge_path.hpp"

#include <gtest/gtest.h>

#include "selection_cases.hpp"

namespace stkr {
namespace {

using cases::ridge;
using reference::relative_error;

constexpr double kBetas[] = {1e3, 1.0, 1e-2, 1e-4, 1e-8};

// f_{-i}(x_i) by n refits.
Matrix refits(const Matrix& g, const Matrix& y, double beta) {
  Matrix result(y.rows(), y.cols());
  for (Index i = 0; i < y.rows(); ++i) {
    const std::vector<Index> others = reference::complement({i}, y.rows());
    const Matrix rows = reference::rows_of(g, others);
    result.row(i) = ridge(reference::columns_of(rows, others), rows.col(i).transpose(),
                          reference::rows_of(y, others), beta);
  }
  return result;
}

TEST(RidgePath, SolvesForEveryBeta) {
  const Matrix g = with_spectrum(Vector::LinSpaced(12, 0.01, 50.0), 1);
  const Matrix scored = random_matrix(5, 12, 2), y = random_matrix(12, 3, 3);
  const RidgePath path(g, scored, y);
  EXPECT_NEAR(path.largest_eigenvalue(), 50.0, 1e-12);
  for (const double beta : kBetas) {
    EXPECT_LT(relative_error(path.alpha(beta), ridge(g, Matrix::Identity(12, 12), y, beta)), 1e-10);
    EXPECT_LT(relative_error(path.predict(beta), ridge(g, scored, y, beta)), 1e-10);
  }
}

TEST(RidgePath, SolvesIndefiniteSystems) {
  const Matrix g = with_spectrum(Vector::LinSpaced(11, -20.0, 50.0), 4);
  const Matrix scored = random_matrix(5, 11, 5), y = random_matrix(11, 2, 6);
  const RidgePath path(g, scored, y);
  for (const double beta : kBetas) {
    EXPECT_LT(relative_error(path.predict(beta), ridge(g, scored, y, beta)), 1e-10) << beta;
  }
}

TEST(RidgePath, LeavesOutADirectionInWhichTheSystemVanishes) {
  // Λ + nβ = 0 for one eigenvalue: α is the solution within the others.
  Vector spectrum = Vector::LinSpaced(6, 1.0, 6.0);
  spectrum[0] = -3.0;
  const Matrix g = with_spectrum(spectrum, 7);
  const Matrix y = random_matrix(6, 2, 8);
  const RidgePath path(g, Matrix(0, 6), y);
  const Matrix alpha = path.alpha(0.5);
  const reference::Spectrum exact(g);
  Matrix inverse = Matrix::Zero(6, 6);
  for (Index i = 0; i < 5; ++i) {
    inverse += exact.vectors.col(i) * exact.vectors.col(i).transpose() / (exact.values[i] + 3.0);
  }
  EXPECT_LT(relative_error(alpha, inverse * y), 1e-10);
}

TEST(RidgePath, LeavesOneOutAsIfFittedToTheOthers) {
  const Matrix y = random_matrix(10, 3, 9);
  for (const Matrix& g : {with_spectrum(Vector::LinSpaced(10, 0.01, 50.0), 10),
                          with_spectrum(Vector::LinSpaced(10, -20.0, 50.0), 11)}) {
    const RidgePath path(g, Matrix(0, 10), y);
    for (const double beta : kBetas) {
      EXPECT_LT(relative_error(path.leave_one_out(beta), refits(g, y, beta)), 1e-9) << beta;
    }
  }
}

TEST(RidgePath, LeavesOneOutWhereTheKernelIsFarBelowTheRidge) {
  // f is then far below y: it must not come out as a small difference of large numbers.
  const Matrix y = random_matrix(10, 3, 12);
  Matrix g = 1e-9 * with_spectrum(Vector::LinSpaced(10, 0.01, 1.0), 13);
  g.row(4).setZero();  // a sample that nothing reaches
  g.col(4).setZero();
  const Matrix left_out = RidgePath(g, Matrix(0, 10), y).leave_one_out(1e3);
  EXPECT_LT(relative_error(left_out, refits(g, y, 1e3)), 1e-9);
  EXPECT_LT(left_out.row(4).norm(), 1e-12 * left_out.norm());
}

TEST(RidgePath, SaysNothingOfASampleThatIsLikeNoOther) {
  // K = I but for two samples: rounding must not pass for an answer.
  Matrix g = with_spectrum(Vector::Constant(10, 1.0), 19);
  g(2, 5) = g(5, 2) = 0.5;
  const Matrix y = random_matrix(10, 2, 20);
  for (const double beta : kBetas) {
    const Matrix left_out = RidgePath(g, Matrix(0, 10), y).leave_one_out(beta);
    for (Index i = 0; i < 10; ++i) {
      if (i == 2 || i == 5) {
        EXPECT_GT(left_out.row(i).norm(), 1e-6);
      } else {
        EXPECT_EQ(left_out.row(i).norm(), 0.0) << "sample " << i << ", beta " << beta;
      }
    }
  }
}

TEST(RidgePath, LeavesOneOfTwoEqualSamplesOutNearTheTopOfTheSpectrum) {
  // G of the inverse Laplacian at η = 0.999999 and the paper's smallest β: 14 decades apart.
  // Samples 0 and 1 are leaves of one hub, so each is answered with the other's label.
  const Index n = 60;
  const Matrix half = random_matrix(n, n, 17);
  Matrix g = Matrix::Constant(n, n, 1e6) + half * half.transpose();
  g.row(1) = g.row(0);
  g.col(1) = g.col(0);
  const Matrix y = random_matrix(n, 2, 18);
  const Matrix left_out = RidgePath(g, Matrix(0, n), y).leave_one_out(1e-8);
  EXPECT_LT((left_out.row(0) - y.row(1)).norm(), 1e-3);
  EXPECT_LT((left_out.row(1) - y.row(0)).norm(), 1e-3);
}

TEST(RidgePath, StopsRichardsonEarly) {
  const Matrix g = with_spectrum(Vector::LinSpaced(8, 0.0, 4.0), 14);
  const Matrix scored = random_matrix(3, 8, 15), y = random_matrix(8, 2, 16);
  const RidgePath path(g, scored, y);
  const double beta = 0.05, step = 0.2;
  Matrix a = g;
  a.diagonal().array() += 8.0 * beta;
  Matrix alpha = Matrix::Zero(8, 2);
  for (int t = 1; t <= 32; ++t) {
    alpha += step * (y - a * alpha);
    EXPECT_LT(relative_error(path.predict_richardson(beta, t, step), scored * alpha), 1e-12) << t;
  }
}

TEST(RidgePath, FitsOneLabel) {
  const RidgePath path(Matrix::Constant(1, 1, 2.0), Matrix::Constant(1, 1, 3.0),
                       Matrix::Constant(1, 1, 5.0));
  EXPECT_DOUBLE_EQ(path.predict(0.5)(0, 0), 3.0 * 5.0 / 2.5);
}

}  // namespace
}  // namespace stkr
