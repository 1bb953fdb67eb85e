#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "inference/small_system.hpp"
#include "stkr/error.hpp"
#include "stkr/inference/inference.hpp"
#include "temporary_folder.hpp"

namespace stkr::jackknife_test {
namespace {

using namespace cases;
using ::testing::HasSubstr;

class JackknifeOfEveryGram : public ::testing::TestWithParam<GramCase> {};

INSTANTIATE_TEST_SUITE_P(Grams, JackknifeOfEveryGram, ::testing::ValuesIn(gram_cases()),
                         CaseName());

// Refits without each label, and takes quantiles as the definition says.
TEST_P(JackknifeOfEveryGram, RefitsWithoutEachLabel) {
  FittedSystem system = small_system(GetParam(), two_terms(GetParam()), false);
  const Matrix& y = system.targets.y;
  // The mean of a decision contains the constant of the fit to all labels.
  Vector& mean = std::get<TargetDecision>(system.targets.decision).mean;
  for (const DenseFit& fit : dense_fits(GetParam(), system, 6)) {
    const Vector ones = Vector::Ones(6), solved = fit.a.inverse() * ones;
    mean += fit.weight * y.transpose() * solved / ones.dot(solved);
  }
  std::vector<Matrix> f(6, Matrix::Zero(kSamples, 2));
  Matrix residual = Matrix::Zero(6, 2);
  for (const DenseFit& fit : dense_fits(GetParam(), system, 5)) {
    for (Index left = 0; left < 6; ++left) {
      std::vector<Index> rest;
      for (Index i = 0; i < 6; ++i) {
        if (i != left) rest.push_back(i);
      }
      const Matrix a = reference::columns_of(reference::rows_of(fit.a, rest), rest);
      const Matrix inverse = a.inverse();
      const Matrix y_rest = reference::rows_of(y, rest);
      const Vector ones = Vector::Ones(5);
      const Eigen::RowVectorXd b = ones.transpose() * inverse * y_rest / ones.dot(inverse * ones);
      const Matrix alpha = inverse * (y_rest.rowwise() - b);
      const Matrix one = (reference::columns_of(fit.at, rest) * alpha).rowwise() + b;
      f[left] += fit.weight * one;
      residual.row(left) += fit.weight * (y.row(left) - one.row(kLabeled[left]));
    }
  }
  std::vector<Index> all(kSamples);
  std::iota(all.begin(), all.end(), Index{0});
  // 7 · 0.7 = 4.9: the fifth of six values.
  const Intervals found = jackknife_intervals(system, all, 0.7);
  const double scale = 1.0 + residual.cwiseAbs().maxCoeff();
  for (Index i = 0; i < kSamples; ++i) {
    for (Index c = 0; c < 2; ++c) {
      std::vector<double> upper, lower;
      for (Index k = 0; k < 6; ++k) {
        upper.push_back(f[k](i, c) + std::abs(residual(k, c)));
        lower.push_back(f[k](i, c) - std::abs(residual(k, c)));
      }
      std::sort(upper.begin(), upper.end());
      std::sort(lower.begin(), lower.end(), std::greater<>());
      EXPECT_NEAR(found.upper(i, c), upper[4], 1e-6 * scale);
      EXPECT_NEAR(found.lower(i, c), lower[4], 1e-6 * scale);
    }
  }
}

TEST(Jackknife, NewSamplesHaveTheIntervalsOfTheSameOnes) {
  const GramCase gram = gram_cases().front();
  const FittedSystem system = small_system(gram, two_terms(gram), false);
  const Intervals fresh = jackknife_intervals(system, gram.as_new(), 0.7);
  std::vector<Index> all(kSamples);
  std::iota(all.begin(), all.end(), Index{0});
  const Intervals known = jackknife_intervals(system, all, 0.7);
  for (Index i = 0; i < kSamples; ++i) {
    if (!gram.keeps_value(i, kLabeled)) continue;
    EXPECT_NEAR(fresh.upper(i, 0), known.upper(i, 0), 1e-7);
    EXPECT_NEAR(fresh.lower(i, 1), known.lower(i, 1), 1e-7);
  }
}

TEST(Jackknife, RefusesWhatItCannotPromise) {
  const GramCase gram = gram_cases().front();
  const std::vector<Index> some{0};
  const FittedSystem numbers = small_system(gram, two_terms(gram), false);
  EXPECT_THAT(
      testing::message_of<ParameterError>([&] { jackknife_intervals(numbers, some, 0.99); }),
      HasSubstr("with 6 labels left out it can be at most 0.8571"));
  const FittedSystem classes = small_system(gram, two_terms(gram), true);
  EXPECT_THAT(testing::message_of<ValueError>([&] { jackknife_intervals(classes, some, 0.5); }),
              HasSubstr("prediction sets"));
}

TEST(Jackknife, ResidualIntervalsAddAQuantileOfTheResiduals) {
  const Matrix predictions = (Matrix(2, 1) << 10, 20).finished();
  const Matrix residuals = (Matrix(4, 1) << 1, -3, 2, -4).finished();
  const Intervals found = residual_intervals(predictions, residuals, 0.6);
  EXPECT_DOUBLE_EQ(found.lower(0, 0), 7.0);
  EXPECT_DOUBLE_EQ(found.upper(1, 0), 23.0);
  EXPECT_THROW(residual_intervals(predictions, residuals, 0.9), ParameterError);
}

}  // namespace
}  // namespace stkr::jackknife_test
