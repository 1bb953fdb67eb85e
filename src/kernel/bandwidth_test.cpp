#include "kernel/bandwidth.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "stkr/error.hpp"

namespace stkr::bandwidth_test {
namespace {

// 0, 1, 2, ..., n-1 on a line.
Matrix line(Index n) {
  Matrix points(n, 1);
  for (Index i = 0; i < n; ++i) points(i, 0) = static_cast<double>(i);
  return points;
}

TEST(MedianDistance, IsExactWhenEveryPairIsSampled) {
  // Distances of 0, 1, 2: 1, 1, 2.
  EXPECT_EQ(median_distance(line(3)), 1.0);
}

TEST(MedianDistance, EstimatesTheMedianOfManyPairs) {
  // |i-j| of uniform points on [0, 1] has median 1 - 1/√2.
  const double median = median_distance(line(5000), 3, 20000) / 5000.0;
  EXPECT_NEAR(median, 1.0 - std::sqrt(0.5), 0.01);
}

TEST(EffectiveNeighborScale, GivesSoManyNeighbors) {
  // On a line with unit steps, the sum over j ≠ 0 of exp(-j²/(2ℓ²)) is about ℓ√(2π) - 1.
  const double scale = effective_neighbor_scale(line(400), 24.0, 1, 400);
  EXPECT_NEAR(scale * std::sqrt(2.0 * std::acos(-1.0)) - 1.0, 24.0, 1.0);
  EXPECT_EQ(scale, effective_neighbor_scale(line(400), 24.0, 1, 400));
  // At most half of the points.
  EXPECT_LT(effective_neighbor_scale(line(11), 1e9), 10.0);
  EXPECT_THROW(effective_neighbor_scale(Matrix::Ones(10, 3), 5.0), ValueError);
}

TEST(MedianDistance, DependsOnlyOnTheSeed) {
  EXPECT_EQ(median_distance(line(500), 5, 99), median_distance(line(500), 5, 99));
}

TEST(MedianDistance, RefusesConstantSingleOrUnfinishedPoints) {
  EXPECT_THROW(median_distance(Matrix::Ones(10, 3)), ValueError);
  EXPECT_THROW(median_distance(Matrix::Ones(1, 3)), ValueError);
  EXPECT_THROW(median_distance(line(5), 0, 0), ValueError);
  Matrix points = line(4);
  points(2, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(median_distance(points), ValueError);
}

TEST(MedianDistance, SaysWhatIsWrongWithConstantPointsAndWhatToDo) {
  try {
    median_distance(Matrix::Ones(10, 3));
    FAIL() << "no exception";
  } catch (const ValueError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("constant"), std::string::npos) << message;
    EXPECT_NE(message.find("duplicates"), std::string::npos) << message;
    EXPECT_NE(message.find("set the length scale"), std::string::npos) << message;
  }
}

TEST(MedianDistance, LeavesOutCopiesIfMostPointsAreCopies) {
  // Two thirds of the points coincide, and so do most pairs of neighbors and nearly half of all
  // pairs.
  Matrix points = line(9);
  points.topRows(6).setZero();
  EXPECT_EQ(median_neighbor_distance(points, 1), 1.0);
  EXPECT_GT(median_distance(points), 0.0);
}

TEST(MedianDistance, IsTheSameForSparsePoints) {
  Matrix points = Matrix::Random(90, 20);
  points = (points.array() > 0.6).select(points, 0.0);
  const CsrMatrix sparse = sparse_of(points);
  const std::vector<Index> among{3, 7, 8, 20, 31, 40, 77};
  EXPECT_NEAR(median_distance(sparse, 5), median_distance(points, 5), 1e-12);
  EXPECT_NEAR(median_neighbor_distance(sparse, 4), median_neighbor_distance(points, 4), 1e-12);
  EXPECT_NEAR(median_neighbor_distance(sparse, 2, 1, 50, {}, among),
              median_neighbor_distance(points, 2, 1, 50, {}, among), 1e-12);
  EXPECT_NEAR(effective_neighbor_scale(sparse, 9.0), effective_neighbor_scale(points, 9.0), 1e-9);
}

TEST(MedianNeighborDistance, IsTheSpacingOfALine) {
  EXPECT_EQ(median_neighbor_distance(line(101), 1), 1.0);
  EXPECT_EQ(median_neighbor_distance(line(101), 2), 1.0);
  EXPECT_EQ(median_neighbor_distance(line(101), 3), 2.0);
  EXPECT_EQ(median_neighbor_distance(line(3000), 4, 7, 50), 2.0);
}

TEST(MedianNeighborDistance, RefusesConstantPointsAndTooManyNeighbors) {
  EXPECT_THROW(median_neighbor_distance(Matrix::Ones(10, 2), 3), ValueError);
  EXPECT_THROW(median_neighbor_distance(line(3), 3), ValueError);
  EXPECT_THROW(median_neighbor_distance(line(3), 0), ValueError);
}

}  // namespace
}  // namespace stkr::bandwidth_test
