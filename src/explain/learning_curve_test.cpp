#include <gtest/gtest.h>

#include <cmath>

#include "stkr/error.hpp"
#include "stkr/explain/explain.hpp"

namespace stkr::learning_curve_test {
namespace {

TEST(LearningCurve, PairsTheErrorsOfTheSameLabels) {
  Vector quarter(4), half(4), all(4);
  quarter << 1.0, 1.0, 1.0, 0.0;
  half << 1.0, 0.5, 0.5, 0.0;
  all << 1.0, 0.0, 0.0, 0.0;
  const LearningCurve found = learning_curve({10, 20, 40}, {quarter, half, all}, 7);
  ASSERT_EQ(found.points.size(), 3u);
  EXPECT_EQ(found.points[0].amount, 10);
  EXPECT_DOUBLE_EQ(found.points[1].error, 0.5);
  EXPECT_EQ(found.points[1].draws, 7);
  EXPECT_EQ(found.points[2].draws, 1);
  // Gains 0, ½, ½, 0: the errors of labels that are always wrong do not count.
  EXPECT_DOUBLE_EQ(*found.gain, 0.25);
  EXPECT_DOUBLE_EQ(found.gain_error, std::sqrt(0.25 / 3.0 / 4.0));
}

TEST(LearningCurve, RejectsPointsThatDoNotMatch) {
  EXPECT_THROW(learning_curve({10}, {Vector::Zero(4)}, 1), ShapeError);
  EXPECT_THROW(learning_curve({10, 20}, {Vector::Zero(4)}, 1), ShapeError);
  EXPECT_THROW(learning_curve({10, 20}, {Vector::Zero(4), Vector::Zero(5)}, 1), ShapeError);
}

}  // namespace
}  // namespace stkr::learning_curve_test
