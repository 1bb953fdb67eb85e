#include "explain/closed_fit.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "inference/small_system.hpp"

namespace stkr::closed_fit_test {
namespace {

using cases::GramCase;
using cases::kLabeled;

EncodedTargets targets_of(bool classes) {
  return cases::small_system(cases::gram_cases().front(), {}, classes).targets;
}

// (G + nβ I) α = y - b, b = 1ᵀA⁻¹y/1ᵀA⁻¹1 with a constant.
struct Dense {
  Matrix alpha;
  Eigen::RowVectorXd constant;
};
Dense dense_fit(const Matrix& g, const Matrix& y, double beta, bool constant) {
  const auto n = static_cast<double>(g.rows());
  const Matrix a = g + n * beta * Matrix::Identity(g.rows(), g.rows());
  const Matrix inverse = a.inverse();
  Dense result{Matrix(), Eigen::RowVectorXd::Zero(y.cols())};
  if (constant) result.constant = (inverse * y).colwise().sum() / inverse.sum();
  result.alpha = inverse * (y.rowwise() - result.constant);
  return result;
}

TEST(ClosedFit, SolvesTheSystem) {
  for (const bool classes : {true, false}) {
    const EncodedTargets targets = targets_of(classes);
    const Matrix x = random_matrix(6, 4, 2);
    const Matrix g = x * x.transpose();
    const ClosedFit fit(g, targets, 0.3);
    const double beta = 0.3 * g.diagonal().mean() / 6.0;
    EXPECT_NEAR(fit.beta(), beta, 1e-14);
    const Dense expected = dense_fit(g, targets.y, beta, targets.constant);
    EXPECT_LT((fit.alpha() - expected.alpha).norm(), 1e-10);
    EXPECT_LT((fit.constant().transpose() - expected.constant).norm(), 1e-10);
  }
}

TEST(ClosedFit, LeavesEveryLabelOut) {
  const Matrix x = random_matrix(6, 4, 2);
  const Matrix g = x * x.transpose();
  for (const bool classes : {true, false}) {
    const EncodedTargets targets = targets_of(classes);
    const ClosedFit fit(g, targets, 0.3);
    const Matrix left_out = fit.left_out();
    for (Index i = 0; i < 6; ++i) {
      std::vector<Index> others;
      for (Index j = 0; j < 6; ++j) {
        if (j != i) others.push_back(j);
      }
      const Dense without =
          dense_fit(g(others, others), targets.y(others, Eigen::all), fit.beta(), targets.constant);
      const Eigen::RowVectorXd expected =
          Eigen::RowVectorXd(g(i, others)) * without.alpha + without.constant;
      EXPECT_LT((left_out.row(i) - expected).norm(), 1e-9) << i;
    }
  }
}

TEST(ClosedFit, ChoosesTheRidgeThatMissesLeast) {
  const Matrix x = random_matrix(6, 4, 2);
  const Matrix g = x * x.transpose();
  const EncodedTargets targets = targets_of(false);
  const ClosedFit chosen(g, targets, std::nullopt);
  const double missed = (chosen.left_out() - targets.y).norm();
  for (double ridge = 1e-8; ridge < 2.0; ridge *= 10.0) {
    EXPECT_LE(missed, (ClosedFit(g, targets, ridge).left_out() - targets.y).norm() * (1.0 + 1e-9));
  }
}

TEST(ClosedFit, HasTheBlocksOfTheTransformedKernel) {
  for (const GramCase& gram : cases::gram_cases()) {
    const LabeledBlocks found =
        transformed_blocks_of(gram.make(1), targets_of(true), SpectralTransform::power(2), {});
    const Matrix kernel =
        gram.dense().transformed({[](double l) { return l * l; }, [](double l) { return l; }});
    const Matrix expected = reference::columns_of(kernel, kLabeled);
    EXPECT_LT((found.known - expected).norm(), 1e-8 * (1.0 + expected.norm())) << gram.name;
    EXPECT_LT((found.g - reference::rows_of(expected, kLabeled)).norm(),
              1e-8 * (1.0 + expected.norm()));
  }
}

TEST(LabelErrors, CountWrongClassesAndGuesses) {
  const EncodedTargets targets = targets_of(true);  // a, b, a, b, a, b
  Matrix f(6, 2);
  f << 1.0, 0.2, 0.1, 0.3, 0.1, 0.3, 0.3, 0.1, 0.0, 0.0, -0.2, -0.1;
  const Vector errors = label_errors(f, targets, 0.5);
  const double expected[] = {0.0, 0.0, 1.0, 1.0, 0.5, 0.0};
  for (Index i = 0; i < 6; ++i) EXPECT_EQ(errors[i], expected[i]) << i;
}

TEST(LabelErrors, OfNumbersAreInUnitsOfTheVariance) {
  const EncodedTargets targets = targets_of(false);
  const double variance = label_variance(targets.y);
  EXPECT_NEAR(variance, (targets.y.rowwise() - targets.y.colwise().mean()).squaredNorm() / 5.0,
              1e-14);
  const Vector errors = label_errors(Matrix::Zero(6, 2), targets, variance);
  EXPECT_NEAR(errors[2], targets.y.row(2).squaredNorm() / variance, 1e-14);
}

TEST(MeanError, IsTheStandardErrorOfTheMean) {
  Vector values(4);
  values << 1.0, 2.0, 4.0, 5.0;
  const MeanError found = mean_error(values);
  EXPECT_DOUBLE_EQ(found.mean, 3.0);
  EXPECT_DOUBLE_EQ(found.standard_error, std::sqrt(10.0 / 3.0 / 4.0));
  EXPECT_EQ(mean_error(Vector::Constant(1, 7.0)).standard_error, 0.0);
}

}  // namespace
}  // namespace stkr::closed_fit_test
