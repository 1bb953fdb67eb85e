#include "selection/calibrated_score.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stkr::calibrated_score_test {
namespace {

// Scores that point to the right class by `gap`.
Matrix pointing(const std::vector<Index>& classes, double gap) {
  Matrix g = Matrix::Zero(static_cast<Index>(classes.size()), 2);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    g(static_cast<Index>(i), classes[i]) = 0.5 * gap;
    g(static_cast<Index>(i), 1 - classes[i]) = -0.5 * gap;
  }
  return g;
}

const std::vector<Index> kClasses{0, 0, 1, 1, 0, 1};
const Vector kEqual = Vector::Constant(2, 0.5);

TEST(CalibratedScore, OfNoInformationIsThatOfTheShares) {
  const CalibratedScore score = calibrated_score(Matrix::Zero(6, 2), kClasses, kEqual, 1.0);
  EXPECT_NEAR(score.log_likelihood, 6.0 * std::log(0.5), 1e-3);
  const CalibratedScore unknown = calibrated_score(Matrix::Zero(6, 2), kClasses, kEqual, 0.0);
  EXPECT_NEAR(unknown.log_likelihood, 6.0 * std::log(0.5), 1e-3);
}

TEST(CalibratedScore, PrefersWiderGapsWhereAllClassesAreRight) {
  const double narrow =
      calibrated_score(pointing(kClasses, 0.1), kClasses, kEqual, 1.0).log_likelihood;
  const double wide =
      calibrated_score(pointing(kClasses, 1.0), kClasses, kEqual, 1.0).log_likelihood;
  EXPECT_GT(wide, narrow + 0.5);
  EXPECT_GT(narrow, 6.0 * std::log(0.5));
}

TEST(CalibratedScore, DoesNotDependOnTheUnits) {
  const CalibratedScore one = calibrated_score(pointing(kClasses, 1.0), kClasses, kEqual, 1.0);
  const CalibratedScore other = calibrated_score(pointing(kClasses, 1e6), kClasses, kEqual, 1e6);
  EXPECT_NEAR(one.log_likelihood, other.log_likelihood, 1e-9);
  EXPECT_NEAR(one.temperature, 1e6 * other.temperature, 1e-9 * one.temperature);
}

TEST(CalibratedScore, IsThePenalizedLikelihoodAtItsTemperature) {
  Matrix g = pointing(kClasses, 1.0);
  g.row(5) *= -1.0;  // one is wrong
  Vector shares(2);
  shares << 0.6, 0.4;
  const CalibratedScore score = calibrated_score(g, kClasses, shares, 0.5);
  double expected = -0.5 * std::pow(score.temperature * 0.5 / 4.0, 2);
  for (Index i = 0; i < 6; ++i) {
    const double own = shares[kClasses[i]] * std::exp(score.temperature * g(i, kClasses[i]));
    const double other =
        shares[1 - kClasses[i]] * std::exp(score.temperature * g(i, 1 - kClasses[i]));
    expected += std::log(own / (own + other));
  }
  EXPECT_NEAR(score.log_likelihood, expected, 1e-12);
}

}  // namespace
}  // namespace stkr::calibrated_score_test
