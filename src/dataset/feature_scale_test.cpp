#include "dataset/feature_scale.hpp"

#include <gtest/gtest.h>

#include "runtime/random.hpp"
#include "stkr/dataset/table_encoding.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr::feature_scale_test {

Matrix some_points() {
  Random random(3);
  Matrix points(101, 7);
  fill_normal(random, points);
  points.col(2).array() += 1000.0;
  points.col(4).setConstant(0.1);
  return points;
}

TEST(FeatureScale, IsTheStandardDeviation) {
  Matrix points(4, 2);
  points << 1.0, 5.0, 3.0, 5.0, 1.0, 5.0, 3.0, 5.0;
  Vector sum = Vector::Zero(2), squares = Vector::Zero(2);
  add_points(points, sum);
  EXPECT_EQ(sum, Vector(Eigen::Vector2d(8.0, 20.0)));
  add_squared_deviations(points, sum / 4.0, squares);
  EXPECT_EQ(squares, Vector(Eigen::Vector2d(4.0, 0.0)));
  EXPECT_EQ(feature_scale(sum / 4.0, squares, 4), Vector(Eigen::Vector2d(1.0, 1.0)));
}

TEST(FeatureScale, HasTheSameBitsInParts) {
  const Matrix points = some_points();
  TableEncoding whole;
  whole.learn_scale(points);
  EXPECT_EQ(whole.scale[4], 1.0);
  for (const Index cut : {Index{0}, Index{1}, Index{50}, Index{101}}) {
    const Matrix first = points.topRows(cut), second = points.bottomRows(points.rows() - cut);
    Vector sum = Vector::Zero(7), squares = Vector::Zero(7);
    add_points(first, sum);
    add_points(second, sum);
    const Vector mean = sum / 101.0;
    EXPECT_EQ(mean, whole.center);
    add_squared_deviations(first, mean, squares);
    add_squared_deviations(second, mean, squares);
    EXPECT_EQ(feature_scale(mean, squares, 101), whole.scale);
  }
}

}  // namespace stkr::feature_scale_test
