#pragma once

// Shared by the tests of nearest neighbors and of who reaches a new point.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "runtime/random.hpp"
#include "stkr/error.hpp"
#include "stkr/kernel/nearest_neighbors.hpp"

namespace stkr::testing {

// Coordinates are multiples of 1/64, so single precision represents them exactly, shifted or not.
inline Matrix random_points(Index count, Index features, std::uint64_t seed, double offset = 0.0) {
  Random random(seed);
  Matrix points(count, features);
  for (double& value : points.reshaped()) {
    value = std::round(64.0 * random.normal()) / 64.0 + offset;
  }
  return points;
}

// Points around a few centers, as in typical data for a neighbor graph.
inline Matrix clustered_points(Index count, Index features, std::uint64_t seed) {
  Random random(seed);
  const Matrix centers = random_points(20, features, seed + 1);
  Matrix points(count, features);
  for (Index i = 0; i < count; ++i) {
    points.row(i) = 4.0 * centers.row(random.below(20));
    for (Index k = 0; k < features; ++k) points(i, k) += random.normal();
  }
  return points;
}

// Sorts all distances: the expected result of the search if no two points are equal.
inline Neighbors sorted_out(const Matrix& queries, const Matrix& points, Index k, bool themselves) {
  Neighbors result{queries.rows(), k, {}, {}};
  for (Index q = 0; q < queries.rows(); ++q) {
    std::vector<std::pair<double, Index>> all;
    for (Index j = 0; j < points.rows(); ++j) {
      if (themselves && j == q) continue;
      all.emplace_back((queries.row(q) - points.row(j)).norm(), j);
    }
    std::sort(all.begin(), all.end());
    for (Index r = 0; r < k; ++r) {
      result.distance.push_back(all[r].first);
      result.index.push_back(static_cast<std::int32_t>(all[r].second));
    }
  }
  return result;
}

inline void expect_same(const Neighbors& found, const Neighbors& expected) {
  ASSERT_EQ(found.count, expected.count);
  ASSERT_EQ(found.k, expected.k);
  EXPECT_EQ(found.index, expected.index);
  for (std::size_t i = 0; i < expected.distance.size(); ++i) {
    ASSERT_NEAR(found.distance[i], expected.distance[i], 1e-12 * (1.0 + expected.distance[i]));
  }
}

inline NeighborIndex index_of(const Matrix& points, Index k, double recall = 1.0, int threads = 0) {
  return {points, {.k = k, .recall = recall}, {.threads = threads}, "test"};
}

// Few distinct coordinates, so that many points are equal.
inline Matrix repeated_points(Index count, Index features, Index values, std::uint64_t seed,
                              double offset = 0.0) {
  Random random(seed);
  Matrix points(count, features);
  for (double& value : points.reshaped()) {
    value = static_cast<double>(random.below(values)) + offset;
  }
  return points;
}

}  // namespace stkr::testing
