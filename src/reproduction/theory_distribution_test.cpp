#include "reproduction/theory_distribution.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

namespace stkr::theory_distribution_test {
namespace {

std::vector<TheoryDistribution> distributions() {
  std::vector<TheoryDistribution> found;
  found.push_back(circle_distribution(0.5));
  found.push_back(torus_distribution(0.15));
  found.push_back(hypercube_distribution(6, 0.4));
  found.push_back(decaying_distribution(0.5, 40));
  return found;
}

Matrix gram_of(const TheoryDistribution& p, const Matrix& points) {
  Matrix gram(points.rows(), points.rows());
  for (Index i = 0; i < points.rows(); ++i) {
    for (Index j = 0; j < points.rows(); ++j) {
      gram(i, j) = p.kernel({points.row(i).data(), static_cast<std::size_t>(points.cols())},
                            {points.row(j).data(), static_cast<std::size_t>(points.cols())});
    }
  }
  return gram;
}

TEST(TheoryDistribution, KernelsAreTheSumsOfTheirEigenfunctions) {
  for (const TheoryDistribution& p : distributions()) {
    Random random(5);
    const Matrix points = p.draw(random, 30);
    const Matrix psi = p.functions(points);
    const Matrix sum = psi * p.eigenvalues.asDiagonal() * psi.transpose();
    const Matrix kernel = gram_of(p, points);
    EXPECT_LT((kernel - sum).cwiseAbs().maxCoeff(), 1e-8) << p.name;
    EXPECT_LT((kernel.diagonal().array() - p.kappa_squared).abs().maxCoeff(), 1e-8) << p.name;
    for (Index j = 1; j < p.eigenvalues.size(); ++j) {
      ASSERT_LE(p.eigenvalues[j], p.eigenvalues[j - 1] * (1.0 + 1e-12)) << p.name;
    }
  }
}

// K_s of a power in closed form: the same kernel with r^p in place of r.
TEST(TheoryDistribution, PowersOfTheKernelHaveTheirClosedForm) {
  const auto check = [](const TheoryDistribution& p, const TheoryDistribution& power, double s) {
    Random random(6);
    const Matrix points = p.draw(random, 20), psi = p.functions(points);
    const Vector values = transformed(p, SpectralTransform::power(s));
    const Matrix sum = psi * values.asDiagonal() * psi.transpose();
    EXPECT_LT((gram_of(power, points) - sum).cwiseAbs().maxCoeff(), 1e-8) << p.name;
  };
  check(circle_distribution(0.5), circle_distribution(0.25), 2.0);
  check(torus_distribution(0.15), torus_distribution(0.003375), 3.0);
  check(hypercube_distribution(5, 0.4), hypercube_distribution(5, 0.16), 2.0);
}

// 2 Σ cos(kθ)/k² = π²/3 - πθ + θ²/2 on [0, 2π]; what follows 4000 frequencies is below 2/4000.
TEST(TheoryDistribution, DecayingKernelApproachesTheBernoulliPolynomial) {
  const TheoryDistribution p = decaying_distribution(0.5, 4000);
  const double pi = std::numbers::pi;
  for (const double angle : {0.5, 2.0, 3.0}) {
    const std::vector<double> x{1.0, 0.0}, y{std::cos(angle), std::sin(angle)};
    EXPECT_NEAR(p.kernel(x, y), pi * pi / 3 - pi * angle + angle * angle / 2, 1e-6);
  }
}

TEST(TheoryDistribution, EigenfunctionsAreOrthonormal) {
  // Exactly: over all 64 points of the hypercube, and over equidistant points of the circle.
  const TheoryDistribution cube = hypercube_distribution(6, 0.4);
  Matrix points(64, 6);
  for (Index i = 0; i < 64; ++i) {
    for (Index k = 0; k < 6; ++k) points(i, k) = (i >> k & 1) == 1 ? 1.0 : -1.0;
  }
  const Matrix psi = cube.functions(points);
  EXPECT_LT((psi.transpose() * psi / 64.0 - Matrix::Identity(63, 63)).cwiseAbs().maxCoeff(), 1e-12);
  const TheoryDistribution circle = decaying_distribution(0.5, 20);
  Matrix around(101, 2);
  for (Index i = 0; i < 101; ++i) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) / 101.0;
    around(i, 0) = std::cos(angle);
    around(i, 1) = std::sin(angle);
  }
  const Matrix phi = circle.functions(around);
  EXPECT_LT((phi.transpose() * phi / 101.0 - Matrix::Identity(40, 40)).cwiseAbs().maxCoeff(),
            1e-12);
}

TEST(OracleCoordinates, AreKernelRidgeRegressionWithTheClosedForm) {
  for (const Index n : {15, 150}) {  // fewer and more labels than functions
    const TheoryDistribution p = circle_distribution(0.5), square = circle_distribution(0.25);
    Random random(8);
    const Matrix points = p.draw(random, n);
    Vector y(n);
    for (double& value : y) value = random.normal();
    Matrix system = gram_of(square, points);
    const Matrix kernel = system;
    system.diagonal().array() += 0.05 * static_cast<double>(n);
    const Vector expected = kernel * Eigen::MatrixXd(system).llt().solve(y);
    const Matrix psi = p.functions(points);
    const Vector found =
        psi * oracle_coordinates(psi, transformed(p, SpectralTransform::power(2.0)), y, 0.05);
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-8);
  }
}

}  // namespace
}  // namespace stkr::theory_distribution_test
