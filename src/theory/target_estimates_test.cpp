#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "gram/weighted_gram.hpp"
#include "gram_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/theory/fit_estimates.hpp"
#include "transform_cases.hpp"

namespace stkr::target_estimates_test {
namespace {

using cases::GramCase;
using cases::kSamples;

const std::vector<Index> kLabeled{0, 3, 8, 17, 20};

class TargetEstimatesOfEveryGram : public testing::TestWithParam<GramCase> {};

// α, f̂ and the fits without one label, by explicit matrices.
TEST_P(TargetEstimatesOfEveryGram, AreTheDenseFormulas) {
  const reference::Dense dense = GetParam().dense();
  const Matrix kernel = dense.transformed(cases::power_case(2).exact);
  const Matrix at = reference::columns_of(kernel, kLabeled);
  const Matrix g = reference::rows_of(at, kLabeled);
  const Matrix y = random_matrix(5, 2, 7);
  const double beta = 0.02 * g.diagonal().mean();
  const Eigen::MatrixXd a = g + 5.0 * beta * Matrix::Identity(5, 5);
  const Eigen::MatrixXd alpha = a.partialPivLu().solve(Eigen::MatrixXd(y));
  const Matrix f = at * alpha;
  StkrOptions options{.transform = SpectralTransform::power(2), .beta = beta};
  const auto gram = GetParam().make(1);
  const TargetEstimates found = target_estimates_stkr(*gram, kLabeled, y, options);
  EXPECT_EQ(found.residuals, 5);
  ASSERT_EQ(found.outputs.size(), 2u);
  double largest_epsilon = 0.0;
  Matrix residuals(5, 2);
  for (Index c = 0; c < 2; ++c) {
    for (Index i = 0; i < 5; ++i) {
      std::vector<Index> others;  // without label i, the same nβ
      for (Index k = 0; k < 5; ++k) {
        if (k != i) others.push_back(k);
      }
      Eigen::MatrixXd without(4, 4);
      Eigen::VectorXd rest(4), row(4);
      for (Index k = 0; k < 4; ++k) {
        rest[k] = y(others[k], c);
        row[k] = g(i, others[k]);
        for (Index l = 0; l < 4; ++l) without(k, l) = a(others[k], others[l]);
      }
      // Leaving a label out keeps β, and the system has n - 1 labels.
      without.diagonal().array() -= beta;
      residuals(i, c) = y(i, c) - row.dot(without.partialPivLu().solve(rest));
    }
    const double square = f.col(c).squaredNorm() / kSamples;
    const double epsilon = alpha.col(c).dot(g * alpha.col(c)) / square;
    largest_epsilon = std::max(largest_epsilon, epsilon);
    const TargetEstimate& one = found.outputs[static_cast<std::size_t>(c)];
    EXPECT_NEAR(one.mean, f.col(c).mean(), 1e-8);
    EXPECT_NEAR(one.scale_b, std::sqrt(square), 1e-8);
    EXPECT_NEAR(one.epsilon, epsilon, 1e-7 * epsilon);
    EXPECT_NEAR(one.sigma_squared, residuals.col(c).squaredNorm() / 5.0, 1e-8);
    EXPECT_NEAR(one.sigma() * one.sigma(), one.sigma_squared, 1e-12);
    EXPECT_NEAR(one.moment_l, residuals.col(c).cwiseAbs().maxCoeff(), 1e-8);
  }
  EXPECT_NEAR(found.worst.epsilon, largest_epsilon, 1e-7 * largest_epsilon);
  // From values and residuals: a function of three eigenfunctions, whose norm is well conditioned.
  const reference::Spectrum spectrum(GetParam().kernel / static_cast<double>(kSamples));
  const Vector values = spectrum.vectors.leftCols(3) * random_matrix(3, 1, 2);
  double norm = 0.0;
  for (Index k = 0; k < 3; ++k) {
    norm += std::pow(spectrum.vectors.col(k).dot(values) / spectrum.values[k], 2);
  }
  const TargetEstimates given =
      target_estimates(*gram, options.transform, values, residuals.col(0));
  EXPECT_NEAR(given.outputs[0].epsilon, norm / values.squaredNorm(),
              1e-8 * norm / values.squaredNorm());
  EXPECT_NEAR(given.worst.moment_l, residuals.col(0).cwiseAbs().maxCoeff(), 1e-15);
}

INSTANTIATE_TEST_SUITE_P(Grams, TargetEstimatesOfEveryGram, testing::ValuesIn(cases::gram_cases()),
                         cases::CaseName());

TEST(TargetEstimates, SatisfyTheMomentConditionOnTheResidualsThemselves) {
  const GramCase points = cases::gram_cases().front();
  Matrix residuals(40, 1);  // heavy tails
  const Matrix normal = random_matrix(40, 1, 3);
  for (Index i = 0; i < 40; ++i) residuals(i, 0) = std::pow(normal(i, 0), 3);
  const TargetEstimate found = target_estimates(*points.make(1), SpectralTransform::power(1),
                                                Matrix::Ones(kSamples, 1), residuals)
                                   .worst;
  double factorial = 1.0;
  for (int r = 2; r <= 20; ++r) {
    factorial *= r;
    const double moment = residuals.array().abs().pow(r).mean();
    EXPECT_LE(moment, 0.5 * factorial * found.sigma_squared * std::pow(found.moment_l, r - 2) *
                          (1.0 + 1e-12))
        << r;
  }
}

TEST(TargetEstimates, AreTheWorstOverOutputs) {
  const GramCase points = cases::gram_cases().front();
  const auto gram = points.make(1);
  Matrix values(kSamples, 2), residuals(2, 2);
  values.col(0).setConstant(-3.0);
  values.col(1).setZero();
  residuals << 0.1, 2.0, 0.2, -1.0;
  const TargetEstimates found =
      target_estimates(*gram, SpectralTransform::power(1), values, residuals);
  EXPECT_EQ(found.outputs[1].epsilon, 0.0);  // f = 0
  EXPECT_EQ(found.outputs[1].scale_b, 0.0);
  EXPECT_NEAR(found.worst.mean, -3.0, 1e-12);
  EXPECT_NEAR(found.worst.scale_b, 3.0, 1e-12);
  EXPECT_NEAR(found.worst.sigma_squared, 2.5, 1e-12);
  EXPECT_EQ(found.worst.moment_l, 2.0);
}

TEST(TargetEstimates, CountSamplesByTheirWeights) {
  const Matrix x = random_matrix(4, 2, 1);
  const Vector weights{{2.0, 1.0, 1.0, 0.0}};
  const WeightedGram gram(std::make_unique<PointGram<double>>(x, Kernel::rbf(1.0)), weights);
  const Vector f{{1.0, -2.0, 3.0, 9.0}};
  const TargetEstimate found =
      target_estimates(gram, SpectralTransform::power(1), f, Matrix::Ones(1, 1)).worst;
  EXPECT_NEAR(found.mean, (2.0 - 2.0 + 3.0) / 4.0, 1e-12);
  EXPECT_NEAR(found.scale_b, std::sqrt((2.0 + 4.0 + 9.0) / 4.0), 1e-12);
  EXPECT_THROW(target_estimates_stkr(gram, std::vector<Index>{0, 1}, Matrix::Ones(2, 1),
                                     {.transform = SpectralTransform::power(1)}),
               ValueError);
}

TEST(TargetEstimates, SayWhatIsWrong) {
  const GramCase points = cases::gram_cases().front();
  const auto gram = points.make(1);
  const SpectralTransform s = SpectralTransform::power(1);
  const Matrix f = Matrix::Ones(kSamples, 1);
  EXPECT_THROW(target_estimates(*gram, s, Matrix::Ones(kSamples - 1, 1), Matrix::Ones(2, 1)),
               ShapeError);
  EXPECT_THROW(target_estimates(*gram, s, f, Matrix::Ones(2, 2)), ShapeError);
  EXPECT_THROW(target_estimates(*gram, s, f, Matrix(0, 1)), ValueError);
  EXPECT_THROW(target_estimates(*gram, s, f, Matrix::Constant(2, 1, NAN)), ValueError);
  EXPECT_THROW(target_estimates_stkr(*gram, std::vector<Index>{0}, Matrix::Ones(1, 1), {}),
               ValueError);
  EXPECT_THROW(target_estimates_stkr(*gram, kLabeled, Matrix::Ones(5, 1),
                                     {.transform = SpectralTransform::poisson()}),
               ParameterError);
}

}  // namespace
}  // namespace stkr::target_estimates_test
