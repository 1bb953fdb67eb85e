#include "estimator/calibration_posterior.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/random.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr::calibration_posterior_test {
namespace {

// Scores whose largest is of the right class more often than not.
Matrix noisy_scores(const std::vector<Index>& classes, Index outputs, std::uint64_t seed) {
  Random random(seed);
  Matrix scores(static_cast<Index>(classes.size()), outputs);
  fill_normal(random, scores);
  for (Index i = 0; i < scores.rows(); ++i) {
    scores(i, classes[static_cast<std::size_t>(i)]) += 1.2;
    scores.row(i) *= std::exp(-0.3 * static_cast<double>(i % 7));
  }
  return scores;
}

double log_sum_exp(const Eigen::RowVectorXd& z) {
  const double top = z.maxCoeff();
  return top + std::log((z.array() - top).exp().sum());
}

Eigen::RowVectorXd z_by_definition(bool logarithm, double a, double size,
                                   const Eigen::RowVectorXd& f) {
  Eigen::RowVectorXd z = f;
  if (logarithm) {
    for (double& value : z) {
      value =
          value >= 0 ? std::log(1 + value / (a * size)) : -0.01 * std::log(1 - value / (a * size));
    }
    return z;
  }
  z.array() -= f.mean();
  return z / z.norm() * std::pow(z.norm() / size, a);
}

// The average of all probabilities, weighted by prior and likelihood, on a fine grid of log τ.
Matrix by_integration(const Matrix& scores, const std::vector<Index>& classes, const Vector& prior,
                      double size) {
  const Index n = scores.rows(), outputs = scores.cols();
  Matrix sum = Matrix::Zero(n, outputs);
  double total = 0.0;
  for (int form = 0; form < 13; ++form) {
    const bool logarithm = form >= 5;
    const double a = logarithm ? std::exp(form - 10.0) : 0.25 * form;
    Matrix z(n, outputs);
    for (Index i = 0; i < n; ++i) z.row(i) = z_by_definition(logarithm, a, size, scores.row(i));
    Matrix moved = z;  // the grid is in units of z with maximum 0
    for (Index i = 0; i < n; ++i) moved.row(i).array() -= z.row(i).maxCoeff();
    const double scale = std::sqrt(moved.squaredNorm() / static_cast<double>(moved.size()));
    for (double step = -2.5; step <= 3.5; step += 0.01) {
      const double t = std::exp(step) / scale;
      Matrix p(n, outputs);
      double unknown = 0.0;
      for (Index i = 0; i < n; ++i) {
        const Eigen::RowVectorXd row = t * z.row(i);
        p.row(i) = (row.array() - log_sum_exp(row)).exp();
        unknown += 0.25 * (row.mean() - log_sum_exp(row)) / static_cast<double>(n);
      }
      for (const auto& [weight, before] : {std::pair(0.0, 0.9), {0.02, 0.05}, {0.05, 0.05}}) {
        const Matrix mixed = ((1.0 - weight) * p).rowwise() + weight * prior.transpose();
        double log_posterior = unknown;
        for (Index i = 0; i < n; ++i) {
          log_posterior += std::log(mixed(i, classes[static_cast<std::size_t>(i)]));
        }
        const double mass = before * std::exp(log_posterior + 40.0) / (logarithm ? 8.0 : 5.0);
        total += mass;
        sum += mass * mixed;
      }
    }
  }
  return sum / total;
}

TEST(CalibrationPosterior, AveragesLikeAnIntegral) {
  const Vector prior = (Vector(3) << 0.5, 0.3, 0.2).finished();
  for (const Index n : {12, 60, 150}) {
    std::vector<Index> classes;
    for (Index i = 0; i < n; ++i) classes.push_back(i * 7 % 10 < 5 ? 0 : i % 3 == 0 ? 1 : 2);
    const Matrix scores = noisy_scores(classes, 3, 10 + static_cast<std::uint64_t>(n));
    Calibration calibration;
    calibration.size = usual_size(scores);
    calibration.prior = {0.5, 0.3, 0.2};
    calibration.members = calibration_members(scores, classes, prior, calibration.size);
    const Matrix expected = by_integration(scores, classes, prior, calibration.size);
    const Matrix p = calibrated(calibration, scores);
    // Forms of less than 1 % are left out, and three temperatures stand for all.
    EXPECT_LT((p - expected).cwiseAbs().maxCoeff(), 0.02) << n;
    EXPECT_LT((p - expected).cwiseAbs().mean(), n < 50 ? 0.006 : 0.003) << n;
  }
}

TEST(CalibrationPosterior, WeightsAddUpWithThePrior) {
  std::vector<Index> classes;
  for (Index i = 0; i < 50; ++i) classes.push_back(i % 2);
  const Matrix scores = noisy_scores(classes, 2, 3);
  double total = 0.0;
  for (const auto& member :
       calibration_members(scores, classes, Vector::Constant(2, 0.5), usual_size(scores))) {
    total += member.weight;
  }
  EXPECT_GE(total, 0.95);
  EXPECT_LE(total, 1.0);
}

// The posterior narrows with the number of labels, and interpolation follows it.
TEST(CalibrationPosterior, FindsTheTemperatureOfManyLabels) {
  Random random(5);
  Matrix scores(3000, 2), uniform(3000, 1);
  fill_normal(random, scores);
  fill_normal(random, uniform);
  std::vector<Index> classes;
  for (Index i = 0; i < 3000; ++i) {
    const double margin = 1.7 * (scores(i, 1) - scores(i, 0));
    classes.push_back(0.5 * std::erfc(-uniform(i, 0) / std::sqrt(2.0)) <
                      1 / (1 + std::exp(-margin)));
  }
  const double size = usual_size(scores);
  const auto members = calibration_members(scores, classes, Vector::Constant(2, 0.5), size);
  double mean = 0.0, weight = 0.0;
  for (const auto& member : members) {
    if (member.form != Calibration::Form::power || member.parameter != 1.0) continue;
    mean += member.weight * member.temperature / size;  // of z in units of the scores
    weight += member.weight;
  }
  ASSERT_GT(weight, 0.3);
  EXPECT_NEAR(mean / weight, 1.7, 0.15);
}

TEST(CalibrationPosterior, UsualSizeIsAGeometricMean) {
  const Matrix scores = (Matrix(3, 2) << 1, -1, 4, -4, 2, 2).finished();
  EXPECT_NEAR(usual_size(scores), std::sqrt(std::sqrt(2.0) * 4 * std::sqrt(2.0)), 1e-12);
  EXPECT_EQ(usual_size(Matrix::Ones(2, 2)), 0.0);
}

}  // namespace
}  // namespace stkr::calibration_posterior_test
