#include "estimator/ridge_path.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "selection_cases.hpp"

namespace stkr::ridge_path_test {
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
      EXPECT_LT(relative_error(path.leave_one_out(beta).f, refits(g, y, beta)), 1e-9) << beta;
    }
  }
}

TEST(RidgePath, LeavesOneOutWhereTheKernelIsFarBelowTheRidge) {
  // f is then far below y: it must not be computed as a small difference of large numbers.
  const Matrix y = random_matrix(10, 3, 12);
  Matrix g = 1e-9 * with_spectrum(Vector::LinSpaced(10, 0.01, 1.0), 13);
  g.row(4).setZero();  // a sample without kernel entries
  g.col(4).setZero();
  const Matrix left_out = RidgePath(g, Matrix(0, 10), y).leave_one_out(1e3).f;
  EXPECT_LT(relative_error(left_out, refits(g, y, 1e3)), 1e-9);
  EXPECT_LT(left_out.row(4).norm(), 1e-12 * left_out.norm());
}

TEST(RidgePath, SaysNothingOfASampleThatIsLikeNoOther) {
  // K = I except for two samples: rounding must not count as a prediction.
  Matrix g = with_spectrum(Vector::Constant(10, 1.0), 19);
  g(2, 5) = g(5, 2) = 0.5;
  const Matrix y = random_matrix(10, 2, 20);
  for (const double beta : kBetas) {
    const Matrix left_out = RidgePath(g, Matrix(0, 10), y).leave_one_out(beta).f;
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
  // Samples 0 and 1 are leaves of one hub, so each is predicted from the other's label.
  const Index n = 60;
  const Matrix half = random_matrix(n, n, 17);
  Matrix g = Matrix::Constant(n, n, 1e6) + half * half.transpose();
  g.row(1) = g.row(0);
  g.col(1) = g.col(0);
  const Matrix y = random_matrix(n, 2, 18);
  const Matrix left_out = RidgePath(g, Matrix(0, n), y).leave_one_out(1e-8).f;
  EXPECT_LT((left_out.row(0) - y.row(1)).norm(), 1e-3);
  EXPECT_LT((left_out.row(1) - y.row(0)).norm(), 1e-3);
}

// h and b of min Σ w_i (h(x_i) + b - y_i)² + λ‖h‖²: A = G + λW⁻¹, α = A⁻¹(y - b) and
// b = 1ᵀA⁻¹y/1ᵀA⁻¹1 or 0, by explicit matrices. `scored` has rows of the kernel.
struct Weighted {
  Matrix alpha, f;
  Vector b;

  Weighted(const Matrix& g, const Matrix& scored, const Matrix& y, const Vector& weights,
           double lambda, bool constant)
      : b(Vector::Zero(y.cols())) {
    Matrix a = g;
    a.diagonal() += lambda * weights.cwiseInverse();
    const Matrix inverse = a.fullPivLu().inverse();
    if (constant && inverse.sum() > 0.0) {
      b = y.transpose() * inverse.rowwise().sum() / inverse.sum();
    } else if (constant) {  // no minimum: see RidgePath
      b = y.colwise().mean().transpose();
    }
    alpha = inverse * (y.rowwise() - b.transpose());
    f = scored * alpha;
  }
};

// Positive definite, indefinite, and with a sample that has no other kernel entry.
std::vector<Matrix> some_blocks() {
  Matrix alone = with_spectrum(Vector::LinSpaced(10, 0.01, 50.0), 21);
  alone.row(4).setZero();
  alone.col(4).setZero();
  return {with_spectrum(Vector::LinSpaced(10, 0.01, 50.0), 10),
          with_spectrum(Vector::LinSpaced(10, -2.0, 50.0), 11), alone};
}

std::vector<Vector> some_weights() {
  return {Vector(), Vector::LinSpaced(10, 0.2, 1.8), Vector::LinSpaced(10, 3.0, 0.5)};
}

RidgePathOptions options_for(bool constant, const Vector& weights) {
  RidgePathOptions options;
  options.constant = constant;
  options.label_weights = weights;
  return options;
}

TEST(RidgePath, FitsAConstantAndWeighsLabels) {
  const Matrix y = random_matrix(10, 3, 22).array() + 5.0, scored = random_matrix(6, 10, 23);
  for (const Matrix& g : some_blocks()) {
    Matrix rows = scored;
    if (g.row(4).isZero()) rows.col(4).setZero();
    for (const Vector& weights : some_weights()) {
      const Vector all = weights.size() > 0 ? weights : Vector(Vector::Ones(10));
      for (const bool constant : {false, true}) {
        const RidgePath path(g, rows, y, options_for(constant, weights));
        for (const double beta : {1e3, 1.0, 1e-2, 1e-4}) {
          SCOPED_TRACE(beta);
          const Weighted exact(g, rows, y, all, 10.0 * beta, constant);
          EXPECT_LT(relative_error(path.constant(beta), exact.b), 1e-9);
          EXPECT_LT(relative_error(path.alpha(beta), exact.alpha), 1e-8);
          EXPECT_LT(relative_error(path.predict(beta), exact.f), 1e-8);
          EXPECT_LT(relative_error(path.fitted(beta), g * exact.alpha), 1e-8);
        }
      }
    }
  }
}

TEST(RidgePath, TheConstantMinimizesTheObjective) {
  // eqn:ridge with a free constant: no other b has a smaller objective, in particular not the mean
  // of y.
  const Matrix g = with_spectrum(Vector::LinSpaced(10, 0.01, 5.0), 24);
  const Vector weights = Vector::LinSpaced(10, 0.5, 1.5);
  const Matrix y = random_matrix(10, 1, 25).array() + 3.0;
  const double beta = 0.05;
  const RidgePath path(g, Matrix(0, 10), y, options_for(true, weights));
  const auto objective = [&](const Matrix& alpha, double b) {
    const Vector error = g * alpha + Matrix::Constant(10, 1, b) - y;
    return weights.dot(error.cwiseAbs2()) + 10.0 * beta * (alpha.transpose() * g * alpha)(0, 0);
  };
  const double best = objective(path.alpha(beta), path.constant(beta)[0]);
  for (const double other : {y.mean(), path.constant(beta)[0] + 1e-2, 0.0}) {
    const RidgePath rest(g, Matrix(0, 10), Matrix(y.array() - other), options_for(false, weights));
    EXPECT_GT(objective(rest.alpha(beta), other), best);
  }
}

TEST(RidgePath, LeavesOneOutWithAConstantAndWeightsAsIfFittedToTheOthers) {
  const Matrix y = random_matrix(10, 3, 26).array() + 5.0;
  for (const Matrix& g : some_blocks()) {
    for (const Vector& weights : some_weights()) {
      const Vector all = weights.size() > 0 ? weights : Vector(Vector::Ones(10));
      for (const bool constant : {false, true}) {
        const RidgePath path(g, Matrix(0, 10), y, options_for(constant, weights));
        for (const double beta : {1e3, 1.0, 1e-2, 1e-4}) {
          SCOPED_TRACE(beta);
          const RidgePath::LeftOut found = path.leave_one_out(beta);
          Matrix f(10, 3), b(10, 3);
          for (Index i = 0; i < 10; ++i) {
            const std::vector<Index> others = reference::complement({i}, 10);
            const Matrix rows = reference::rows_of(g, others);
            const Weighted exact(reference::columns_of(rows, others), rows.col(i).transpose(),
                                 reference::rows_of(y, others), reference::rows_of(all, others),
                                 9.0 * beta, constant);
            f.row(i) = exact.f;
            b.row(i) = exact.b.transpose();
          }
          EXPECT_LT(relative_error(found.constant, b), 1e-8);
          EXPECT_LT((found.f - f).norm(), 1e-8 * std::max(f.norm(), b.norm()));
        }
      }
    }
  }
}

TEST(RidgePath, LeavesOneOfTwoOutWithAConstant) {
  // The constant is then the other's label, and h is 0.
  Matrix y(2, 1);
  y << 1.0, 5.0;
  const RidgePath::LeftOut found = RidgePath(with_spectrum(Vector::LinSpaced(2, 1.0, 3.0), 27),
                                             Matrix(0, 2), y, options_for(true, {}))
                                       .leave_one_out(0.1);
  EXPECT_NEAR(found.constant(0, 0), 5.0, 1e-12);
  EXPECT_NEAR(found.constant(1, 0), 1.0, 1e-12);
  EXPECT_LT(found.f.norm(), 1e-12);
}

TEST(RidgePath, FitsAConstantToACoupledBlock) {
  // G = K̂_s (I + cK̂_s)⁻¹, so that (G + nβ(I - cG)) θ = Y is the system of K̂_s.
  const Index n = 8;
  const double c = 0.07;
  const Matrix k = with_spectrum(Vector::LinSpaced(n, 0.1, 9.0), 28);
  const Matrix inverse = (Matrix::Identity(n, n) + c * k).inverse();
  const Matrix scored = random_matrix(3, n, 29), y = random_matrix(n, 2, 30).array() - 4.0;
  const RidgePath path(k * inverse, scored * inverse, y, {.coupling = c, .constant = true});
  EXPECT_NEAR(path.unit(), k.diagonal().mean(), 1e-10);
  for (const double beta : {10.0, 1e-2, 1e-5}) {
    const Weighted exact(k, scored, y, Vector::Ones(n), static_cast<double>(n) * beta, true);
    EXPECT_LT(relative_error(path.constant(beta), exact.b), 1e-9) << beta;
    EXPECT_LT(relative_error(path.alpha(beta), exact.alpha), 1e-8) << beta;
    EXPECT_LT(relative_error(path.predict(beta), exact.f), 1e-8) << beta;
  }
}

TEST(RidgePath, ChoosesTheRidgeWithTheLeastErrorOfRefits) {
  const Matrix g = with_spectrum(Vector::LinSpaced(12, 0.001, 2.0), 31);
  const Matrix y = (g * random_matrix(12, 1, 32) + 0.3 * random_matrix(12, 1, 33)).array() + 7.0;
  const RidgePath path(g, Matrix(0, 12), y, {.constant = true});
  double best = 0.0, least = std::numeric_limits<double>::infinity();
  for (int exponent = 0; exponent >= -8; --exponent) {
    const double lambda = 11.0 * std::pow(10.0, exponent) * path.unit() / 12.0;
    double error = 0.0;
    for (Index i = 0; i < 12; ++i) {
      const std::vector<Index> others = reference::complement({i}, 12);
      const Matrix rows = reference::rows_of(g, others);
      const Weighted exact(reference::columns_of(rows, others), rows.col(i).transpose(),
                           reference::rows_of(y, others), Vector::Ones(11), lambda, true);
      error += std::pow(exact.f(0, 0) + exact.b[0] - y(i, 0), 2);
    }
    if (error < least) {
      least = error;
      best = std::pow(10.0, exponent);
    }
  }
  ASSERT_LT(best, 1.0);
  ASSERT_GT(best, 1e-8);
  EXPECT_DOUBLE_EQ(ridge_by_leave_one_out(path, y), best);
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
}  // namespace stkr::ridge_path_test
