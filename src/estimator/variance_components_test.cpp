#include "estimator/variance_components.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "dense_operator.hpp"
#include "runtime/random.hpp"
#include "stkr/error.hpp"

namespace stkr::variance_components_test {
namespace {

// W Wᵀ of a random W: positive semidefinite of rank `rank`.
Matrix random_block(Index n, Index rank, std::uint64_t seed) {
  const Matrix w = random_matrix(n, rank, seed);
  return w * w.transpose();
}

// Outputs of Gaussian processes with covariance Σ a_k G_k + noise I.
Matrix drawn(const std::vector<Matrix>& blocks, const Vector& a, double noise, Index outputs,
             std::uint64_t seed) {
  const Index n = blocks.front().rows();
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(n, n) * noise;
  for (std::size_t k = 0; k < blocks.size(); ++k) covariance += a[k] * blocks[k];
  Random random(seed);
  Eigen::MatrixXd z(n, outputs);
  for (Index i = 0; i < z.size(); ++i) z.data()[i] = random.normal();
  return Eigen::LLT<Eigen::MatrixXd>(covariance).matrixL() * z;
}

// log N(y; 0, A) summed over the columns, by the eigenvalues of A.
double log_density(const std::vector<Matrix>& blocks, const Vector& a, double noise,
                   const Matrix& y) {
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(y.rows(), y.rows()) * noise;
  for (std::size_t k = 0; k < blocks.size(); ++k) covariance += a[k] * blocks[k];
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(covariance);
  const Eigen::MatrixXd rotated = eigen.eigenvectors().transpose() * y;
  double sum = 0.0;
  for (Index i = 0; i < y.rows(); ++i) {
    const double lambda = eigen.eigenvalues()[i];
    sum -= 0.5 * rotated.row(i).squaredNorm() / lambda;
    sum -= 0.5 * double(y.cols()) * std::log(2.0 * M_PI * lambda);
  }
  return sum;
}

struct Planted {
  std::vector<Matrix> blocks;
  Vector a;
  double noise;
  Matrix y;
};

Planted planted(Index n = 60, Index outputs = 400) {
  Planted p;
  p.blocks = {random_block(n, 6, 1), random_block(n, 20, 2), random_block(n, 70, 3)};
  p.a = Vector{{0.5, 0.0, 0.1}};
  p.noise = 2.0;
  p.y = drawn(p.blocks, p.a, p.noise, outputs, 4);
  return p;
}

TEST(VarianceComponents, RecoverPlantedWeights) {
  const Planted p = planted();
  for (const bool free_mean : {false, true}) {
    const auto found = learn_variances(p.blocks, p.y, {.free_mean = free_mean, .tolerance = 1e-4});
    EXPECT_TRUE(found.converged);
    EXPECT_NEAR(found.weights[0], 0.5, 0.05);
    EXPECT_LT(found.shares[1], 0.02);
    EXPECT_NEAR(found.weights[2], 0.1, 0.01);
    EXPECT_NEAR(found.noise, 2.0, 0.2);
    EXPECT_NEAR(found.shares.sum(), 1.0, 1e-12);
  }
}

TEST(VarianceComponents, LikelihoodIsTheDensityAndNeverDecreases) {
  const Planted p = planted(40, 5);
  const auto found = learn_variances(p.blocks, p.y, {.free_mean = false, .tolerance = 1e-5});
  EXPECT_NEAR(found.log_evidence, log_density(p.blocks, found.weights, found.noise, p.y),
              1e-9 * std::abs(found.log_evidence));
  ASSERT_GT(found.history.size(), 3u);
  for (std::size_t k = 1; k < found.history.size(); ++k) {
    EXPECT_GE(found.history[k], found.history[k - 1]);
  }
  EXPECT_EQ(found.history.back(), found.log_evidence);
}

TEST(VarianceComponents, GradientVanishesOrTheWeightDoes) {
  const Planted p = planted(40, 5);
  const auto found = learn_variances(p.blocks, p.y, {.free_mean = false, .tolerance = 1e-7});
  ASSERT_TRUE(found.converged);
  const auto value = [&](const Vector& a, double noise) {
    return log_density(p.blocks, a, noise, p.y);
  };
  const double scale = 40.0 * 5.0;
  for (Index k = 0; k < 3; ++k) {
    Vector up = found.weights, down = found.weights;
    up[k] *= 1.0 + 1e-5;
    down[k] *= 1.0 - 1e-5;
    // ∂L/∂log a_k
    const double slope = (value(up, found.noise) - value(down, found.noise)) / 2e-5;
    EXPECT_LT(std::abs(slope), 1e-4 * scale) << k;
    // No component that vanished would raise L.
    up = found.weights;
    up[k] += 1e-3 * found.weights.maxCoeff();
    EXPECT_LT(value(up, found.noise), found.log_evidence + 1e-3);
  }
  const double slope = (value(found.weights, found.noise * (1 + 1e-5)) -
                        value(found.weights, found.noise * (1 - 1e-5))) /
                       2e-5;
  EXPECT_LT(std::abs(slope), 1e-4 * scale);
}

TEST(VarianceComponents, StayNearThePriorWithFewLabels) {
  const Planted p = planted(30, 1);
  // Only the second component, which the labels do not have, and little noise.
  const Matrix prior = p.blocks[1] + 0.1 * p.blocks[1].trace() / 30.0 * Matrix::Identity(30, 30);
  double previous = 0.0;
  for (const double outputs : {0.0, 1.0, 1e4}) {
    const auto found = learn_variances(
        p.blocks, p.y,
        {.free_mean = false, .prior = &prior, .prior_outputs = outputs, .tolerance = 1e-5});
    EXPECT_GE(found.shares[1], previous);
    previous = found.shares[1];
    for (std::size_t k = 1; k < found.history.size(); ++k) {
      EXPECT_GE(found.history[k], found.history[k - 1]);
    }
    EXPECT_NEAR(found.log_evidence, log_density(p.blocks, found.weights, found.noise, p.y), 1e-8);
  }
  EXPECT_GT(previous, 0.99);
}

TEST(VarianceComponents, DoNotDependOnScales) {
  const Planted p = planted(30, 4);
  const auto found = learn_variances(p.blocks, p.y);
  std::vector<Matrix> scaled = p.blocks;
  const Vector factors{{1e-8, 30.0, 1e6}};
  for (Index k = 0; k < 3; ++k) scaled[k] *= factors[k];
  const auto other = learn_variances(scaled, 1e3 * p.y);
  EXPECT_LT((other.shares - found.shares).norm(), 1e-6);
  for (Index k = 0; k < 3; ++k) {
    EXPECT_NEAR(other.weights[k] * factors[k] / 1e6, found.weights[k],
                1e-6 * found.weights.maxCoeff());
  }
  EXPECT_NEAR(other.noise / 1e6, found.noise, 1e-6 * found.noise);
  EXPECT_NEAR(other.log_evidence, found.log_evidence - 29 * 4 * std::log(1e3), 1e-6);
  // Nor, with a free mean, on constants.
  const auto shifted = learn_variances(p.blocks, Matrix(p.y.array() + 7.0));
  EXPECT_NEAR(shifted.log_evidence, found.log_evidence, 1e-6);
}

TEST(VarianceComponents, TakeWhatIsDegenerate) {
  const Planted p = planted(30, 2);
  std::vector<Matrix> blocks = p.blocks;
  blocks.push_back(Matrix::Zero(30, 30));
  EXPECT_EQ(learn_variances(blocks, p.y).weights[3], 0.0);
  const auto constant = learn_variances(p.blocks, Matrix::Constant(30, 2, 3.0));
  EXPECT_TRUE(constant.converged);
  EXPECT_TRUE(constant.weights.allFinite());
  // Without noise its share is the least.
  const Matrix exact = drawn(p.blocks, Vector{{0.5, 0.1, 0.2}}, 1e-12, 3, 5);
  EXPECT_GT(learn_variances(p.blocks, exact).noise_share, 0.9e-6);
  // Indefinite, with a positive trace.
  Matrix indefinite = Matrix::Identity(30, 30);
  indefinite(0, 1) = indefinite(1, 0) = 20.0;
  EXPECT_THROW(learn_variances(std::vector<Matrix>{indefinite}, p.y), ValueError);
}

}  // namespace
}  // namespace stkr::variance_components_test
