#include <gtest/gtest.h>

#include <cmath>

#include "stkr/error.hpp"
#include "stkr/estimator/decision.hpp"

namespace stkr::probabilities_test {
namespace {

const Vector kPrior3 = (Vector(3) << 0.5, 0.3, 0.2).finished();

TEST(Probabilities, AreSharesOfThePositiveScores) {
  Matrix scores(1, 3);
  scores << 0.3, -0.2, 0.1;
  const Matrix p = class_probabilities(scores, {1}, kPrior3);
  EXPECT_NEAR(p(0, 0), 0.75, 1e-15);
  EXPECT_EQ(p(0, 1), 0.0);
  EXPECT_NEAR(p(0, 2), 0.25, 1e-15);
}

TEST(Probabilities, OfTwoClassesUseNegativeScoresToo) {
  Matrix scores(3, 2);
  scores << 0.25, 0.75, -1.0, 3.0, 0.0, 0.0;
  const Matrix p = class_probabilities(scores, {1, 1, 1}, Vector::Constant(2, 0.5));
  EXPECT_NEAR(p(0, 1), 0.75, 1e-15);
  EXPECT_NEAR(p(1, 1), 1.0, 1e-15);
  EXPECT_NEAR(p(2, 1), 0.5, 1e-15);
  for (Index i = 0; i < 3; ++i) EXPECT_NEAR(p.row(i).sum(), 1.0, 1e-15);
}

// The projection minimizes the distance: no distribution on a fine grid is nearer.
TEST(Probabilities, OfNegativeScoresAreTheNearestDistribution) {
  Matrix scores(2, 3);
  scores << -0.2, -0.5, -0.1, -3.0, -1.0, -1.1;
  const Matrix p = class_probabilities(scores, {1, 1}, kPrior3);
  for (Index i = 0; i < 2; ++i) {
    EXPECT_NEAR(p.row(i).sum(), 1.0, 1e-14);
    EXPECT_GE(p.row(i).minCoeff(), 0.0);
    const Eigen::RowVectorXd scaled = scores.row(i) / scores.row(i).cwiseAbs().maxCoeff();
    const double best = (p.row(i) - scaled).squaredNorm();
    for (int a = 0; a <= 50; ++a) {
      for (int b = 0; a + b <= 50; ++b) {
        const Eigen::RowVector3d other(a / 50.0, b / 50.0, (50 - a - b) / 50.0);
        EXPECT_LE(best, (other - scaled).squaredNorm() + 1e-12);
      }
    }
  }
}

TEST(Probabilities, WithoutEvidenceAreThePrior) {
  const Matrix p = class_probabilities(Matrix::Ones(2, 3), {1, 0}, kPrior3);
  EXPECT_NEAR(p(0, 0), 1.0 / 3.0, 1e-15);
  EXPECT_EQ(p.row(1).transpose(), kPrior3);
}

TEST(Probabilities, NeedOnePriorPerClass) {
  EXPECT_THROW(class_probabilities(Matrix::Ones(2, 3), {1, 1}, Vector::Ones(2)), ShapeError);
  EXPECT_THROW(class_probabilities(Matrix::Ones(2, 3), {1}, kPrior3), ShapeError);
}

}  // namespace
}  // namespace stkr::probabilities_test
