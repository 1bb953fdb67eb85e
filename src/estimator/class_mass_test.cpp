#include "estimator/class_mass.hpp"

#include <gtest/gtest.h>

#include "stkr/error.hpp"

namespace stkr::class_mass_test {
namespace {

// Scores of two classes: the second is always smaller, by a little or by a lot.
Matrix lopsided(Index samples) {
  Matrix f(samples, 2);
  for (Index i = 0; i < samples; ++i) {
    f(i, 0) = 1.0;
    f(i, 1) = 0.9 * (static_cast<double>(i) + 1.0) / static_cast<double>(samples);
  }
  return f;
}

Vector shares(const Matrix& f, const Vector& factors) {
  Vector result = Vector::Zero(f.cols());
  for (Index i = 0; i < f.rows(); ++i) {
    Index best = 0;
    f.row(i).transpose().cwiseProduct(factors).maxCoeff(&best);
    result[best] += 1.0 / static_cast<double>(f.rows());
  }
  return result;
}

TEST(ClassMass, MovesTheSharesOfTheAnswersToThePrior) {
  const Matrix f = lopsided(1000);
  EXPECT_EQ(shares(f, Vector::Ones(2))[1], 0.0);
  for (const double wanted : {0.2, 0.5, 0.8}) {
    const Vector prior{{1.0 - wanted, wanted}};
    EXPECT_NEAR(shares(f, class_mass_factors(f, prior, 0.0))[1], wanted, 0.03);
  }
}

TEST(ClassMass, LeavesScoresAloneThatHaveTheirShares) {
  Matrix f(4, 2);
  f << 1, .1, 1, .2, .1, 1, .2, 1;
  const Vector factors = class_mass_factors(f, Vector::Constant(2, 0.5), 0.0);
  EXPECT_NEAR(factors[0], 1.0, 1e-6);
  EXPECT_NEAR(factors[1], 1.0, 1e-6);
}

TEST(ClassMass, DoesNotDependOnTheSizeOfASamplesScores) {
  Matrix f = lopsided(50);
  const Vector prior{{0.5, 0.5}};
  const Vector before = class_mass_factors(f, prior, 0.0);
  for (Index i = 0; i < f.rows(); ++i) f.row(i) *= 1.0 + static_cast<double>(i % 7);
  EXPECT_LT((class_mass_factors(f, prior, 0.0) - before).norm(), 1e-12);
}

TEST(ClassMass, HasFactorsOfGeometricMeanOne) {
  const Vector factors = class_mass_factors(lopsided(100), Vector{{0.3, 0.7}}, 0.0);
  EXPECT_NEAR(factors.array().log().sum(), 0.0, 1e-12);
}

TEST(ClassMass, LeavesOutClassesWithoutScoresAndWithoutPrior) {
  Matrix f = Matrix::Zero(100, 4);
  f.leftCols(2) = lopsided(100);
  f.col(3).setConstant(-0.5);
  const Vector factors = class_mass_factors(f, Vector::Constant(4, 0.25), 0.0);
  EXPECT_EQ(factors[2], 1.0);
  EXPECT_EQ(factors[3], 1.0);
  EXPECT_NEAR(shares(f.leftCols(2), factors.head(2))[1], 0.5, 0.03);
  EXPECT_EQ(class_mass_factors(f.leftCols(2), Vector{{1.0, 0.0}}, 0.0), Vector::Ones(2));
}

TEST(ClassMass, IgnoresSamplesWithoutEvidence) {
  const Matrix f = lopsided(40);
  Matrix more = Matrix::Constant(100, 2, 1e-12);
  more.topRows(40) = f;
  const Vector prior{{0.4, 0.6}};
  EXPECT_EQ(class_mass_factors(more, prior, 1e-10), class_mass_factors(f, prior, 1e-10));
}

TEST(ClassMass, StaysFiniteWhereThePriorCannotBeMet) {
  // The second class has a score at one sample only: no factor gives it half of the samples.
  Matrix f = Matrix::Zero(20, 2);
  f.col(0).setOnes();
  f(3, 1) = 1e-3;
  const Vector factors = class_mass_factors(f, Vector::Constant(2, 0.5), 0.0);
  EXPECT_TRUE(factors.allFinite());
  EXPECT_TRUE((factors.array() > 0.0).all());
  const Vector none = class_mass_factors(Matrix(0, 2), Vector::Constant(2, 0.5), 0.0);
  EXPECT_EQ(none, Vector::Ones(2));
  const Vector zero = class_mass_factors(Matrix::Zero(5, 2), Vector::Constant(2, 0.5), 0.0);
  EXPECT_EQ(zero, Vector::Ones(2));
}

TEST(ClassMass, NeedsOneShareForEachClass) {
  EXPECT_THROW(class_mass_factors(lopsided(4), Vector::Constant(3, 1.0 / 3), 0.0), ShapeError);
}

TEST(ClassMass, SmoothsASmallCountTowardsEqualShares) {
  const Vector smoothed = smoothed_prior(Vector{{0.75, 0.25, 0.0}}, 4);
  EXPECT_DOUBLE_EQ(smoothed[0], 4.0 / 6.0);
  EXPECT_DOUBLE_EQ(smoothed[1], 2.0 / 6.0);
  EXPECT_EQ(smoothed[2], 0.0);
}

}  // namespace
}  // namespace stkr::class_mass_test
