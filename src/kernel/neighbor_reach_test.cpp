// Who reaches a new point: NeighborIndex::of with a reach for every point.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "searched_points.hpp"

namespace stkr::neighbor_reach_test {
namespace {

using namespace testing;

// Computes all distances of the queries, as stored, to the distinct points.
ReachedBy measured(const NeighborIndex& index, const Matrix& queries, const Vector& reach) {
  const MatrixF placed = (queries.rowwise() - index.shift().transpose()).cast<float>();
  const Matrix known = index.distinct_points().cast<double>(), asking = placed.cast<double>();
  ReachedBy result{{0}, {}, {}};
  for (Index q = 0; q < queries.rows(); ++q) {
    for (Index i = 0; i < index.size(); ++i) {
      const Index place = index.distinct_of()[i];
      if (index.samples_at(place).front() != i) continue;
      const double distance = (asking.row(q) - known.row(place)).norm();
      if (distance > reach[i]) continue;
      result.index.push_back(static_cast<std::int32_t>(i));
      result.distance.push_back(distance);
    }
    result.row_start.push_back(static_cast<std::int64_t>(result.index.size()));
  }
  return result;
}

void expect_same(const ReachedBy& found, const ReachedBy& expected) {
  EXPECT_EQ(found.row_start, expected.row_start);
  ASSERT_EQ(found.index, expected.index);
  for (std::size_t i = 0; i < expected.distance.size(); ++i) {
    ASSERT_NEAR(found.distance[i], expected.distance[i], 1e-12 * (1.0 + expected.distance[i]));
  }
}

// The distance of each point to its last neighbor, as in a graph.
Vector reach_of(const NeighborIndex& index) {
  const Neighbors all = index.among_themselves();
  Vector reach(all.count);
  for (Index i = 0; i < all.count; ++i) {
    Index last = all.k - 1;
    while (last >= 0 && all.index[i * all.k + last] < 0) --last;
    reach[i] = last >= 0 ? all.distance[i * all.k + last] : 0.0;
  }
  return reach;
}

TEST(NeighborReach, FindsWhoReachesANewPoint) {
  for (const auto& [count, features] :
       {std::pair<Index, Index>{2, 1}, {300, 1}, {1500, 3}, {400, 17}, {500, 200}}) {
    for (const double offset : {0.0, 1024.0}) {
      for (const Index k : {Index{1}, Index{10}, Index{150}}) {
        if (k >= count) continue;
        SCOPED_TRACE(::testing::Message()
                     << count << " x " << features << " + " << offset << ", k = " << k);
        const NeighborIndex index = index_of(random_points(count, features, 3, offset), k);
        const Matrix queries = random_points(65, features, 4, offset);
        const Vector reach = reach_of(index);
        const Surroundings found = index.of(queries, reach);
        expect_same(found.reached_by, measured(index, queries, reach));
        const Neighbors nearest = index.of(queries);
        EXPECT_EQ(found.nearest.index, nearest.index);
        EXPECT_EQ(found.nearest.distance, nearest.distance);
        // A few points reach far, most reach none.
        const Vector uneven = reach.cwiseProduct(
            random_points(count, 1, 5).array().cube().max(0.0).matrix().reshaped());
        expect_same(index.of(queries, uneven).reached_by, measured(index, queries, uneven));
      }
    }
  }
}

TEST(NeighborReach, ReachesAmongClustersWithCopies) {
  Matrix points(1200, 6);
  points << clustered_points(900, 6, 21), clustered_points(900, 6, 21).topRows(300);
  Matrix queries = clustered_points(100, 6, 22);
  queries.topRows(30) = points.bottomRows(30);
  for (const Index k : {Index{10}, Index{400}}) {
    const NeighborIndex index = index_of(points, k);
    ASSERT_EQ(index.distinct(), 900);
    const Vector reach = reach_of(index) * 1.001;  // the reference may break ties either way
    expect_same(index.of(queries, reach).reached_by, measured(index, queries, reach));
  }
  const NeighborIndex index = index_of(points, 10);
  const ReachedBy itself = index.of(queries.topRows(30), Vector::Zero(1200)).reached_by;
  for (Index q = 0; q < 30; ++q) {
    ASSERT_EQ(itself.row_start[q + 1], q + 1) << "a reach of 0 covers the place itself";
    EXPECT_EQ(itself.index[q], 270 + q);
    EXPECT_EQ(itself.distance[q], 0.0);
  }
}

TEST(NeighborReach, AReachEqualToTheDistanceCovers) {
  const Matrix grid = repeated_points(400, 2, 12, 23);
  const NeighborIndex index = index_of(grid, 5);
  const Matrix queries = repeated_points(80, 2, 14, 24);
  for (const double r : {0.0, 1.0, 5.0}) {  // also √(3² + 4²)
    const Vector reach = Vector::Constant(400, r);
    expect_same(index.of(queries, reach).reached_by, measured(index, queries, reach));
    const Vector less = Vector::Constant(400, std::nextafter(r, -1.0)).cwiseMax(0.0);
    expect_same(index.of(queries, less).reached_by, measured(index, queries, less));
  }
  // A known point passed as a new one is reached by every point whose last neighbor it is, although
  // its distances are not exactly representable.
  const Matrix points = clustered_points(600, 30, 25);
  const NeighborIndex crowd = index_of(points, 7);
  const Neighbors all = crowd.among_themselves();
  const ReachedBy found = crowd.of(points, reach_of(crowd)).reached_by;
  std::set<std::pair<Index, Index>> edges, wanted;
  for (Index i = 0; i < 600; ++i) {
    for (Index r = found.row_start[i]; r < found.row_start[i + 1]; ++r) {
      if (found.index[r] != i) edges.emplace(found.index[r], i);
    }
    for (Index r = 7 * i; r < 7 * (i + 1); ++r) wanted.emplace(i, all.index[r]);
  }
  EXPECT_EQ(edges, wanted);
}

TEST(NeighborReach, ReachesWhatSinglePrecisionCannotDecide) {
  // Two distant groups, each smaller than the rounding of its inner products.
  const auto crowds = [](Index count, std::uint64_t seed) {
    Random random(seed);
    const Matrix middle = (random_points(1, 8, 30) * 65536.0).array().round() / 64.0;
    Matrix points(count, 8);
    for (Index i = 0; i < count; ++i) {
      points.row(i) = (i % 2 == 0 ? 1.0 : -1.0) * middle.row(0);
      for (Index k = 0; k < 8; ++k) {
        points(i, k) += static_cast<double>(random.below(64)) / 4096.0;
      }
    }
    return points;
  };
  const Matrix queries = crowds(50, 32);
  const NeighborIndex index = index_of(crowds(600, 31), 6);
  ASSERT_EQ(index.shift(), Vector(Vector::Zero(8)));
  const Vector reach = reach_of(index);
  expect_same(index.of(queries, reach).reached_by, measured(index, queries, reach));
  // Inner products that underflow, or nearly overflow.
  for (const double scale : {0x1p-75, 0x1p-72, 0x1p-64, 0x1p50}) {
    const Matrix far = scale * random_points(300, 4, 26), asking = scale * random_points(50, 4, 27);
    const NeighborIndex scaled = index_of(far, 6);
    const Vector covered = reach_of(scaled);
    expect_same(scaled.of(asking, covered).reached_by, measured(scaled, asking, covered));
    const Vector everybody = Vector::Constant(300, 0x1p100);
    EXPECT_EQ(scaled.of(asking, everybody).reached_by.index.size(),
              static_cast<std::size_t>(50 * scaled.distinct()));
  }
  Matrix tiny(4, 64);  // each product rounds to 0, but their sum would not
  for (Index i = 0; i < 4; ++i) tiny.row(i).setConstant(0x1.cp-76 * (i % 2 == 0 ? 1.0 : -1.0));
  tiny.bottomRows(2) *= 2.0;
  const ReachedBy itself = index_of(tiny, 1).of(tiny, Vector::Zero(4)).reached_by;
  EXPECT_EQ(itself.index, (std::vector<std::int32_t>{0, 1, 2, 3}));
}

TEST(NeighborReach, LooksIntoTheSameCellsForWhoReaches) {
  const Matrix points = clustered_points(3000, 8, 28), queries = clustered_points(200, 8, 29);
  const Vector reach = reach_of(index_of(points, 10)) * 1.001;
  const ReachedBy truth = measured(index_of(points, 10), queries, reach);
  const NeighborIndex some = index_of(points, 10, 0.8);
  ASSERT_GT(some.cells().probes, 0);
  const ReachedBy found = some.of(queries, reach).reached_by;
  EXPECT_GT(static_cast<double>(found.index.size()), 0.5 * static_cast<double>(truth.index.size()));
  EXPECT_LT(found.index.size(), truth.index.size());
  for (Index q = 0; q < 200; ++q) {
    const auto wanted = truth.index.begin();
    for (Index r = found.row_start[q]; r < found.row_start[q + 1]; ++r) {
      EXPECT_TRUE(std::binary_search(wanted + truth.row_start[q], wanted + truth.row_start[q + 1],
                                     found.index[r]));
    }
  }
  NeighborCells cells = some.cells();
  cells.probes = cells.centers.rows();
  const NeighborIndex every(some.distinct_points(), some.distinct_of(), some.shift(), cells,
                            some.options(), {}, "test");
  expect_same(every.of(queries, reach).reached_by, truth);
}

TEST(NeighborReach, WhoReachesDoesNotDependOnTheNumberOfThreads) {
  const Matrix points = clustered_points(3000, 12, 5), queries = clustered_points(900, 12, 6);
  const Vector reach = reach_of(index_of(points, 8));
  for (const double recall : {1.0, 0.9}) {
    const Surroundings one = index_of(points, 8, recall, 1).of(queries, reach);
    const Surroundings three = index_of(points, 8, recall, 3).of(queries, reach);
    EXPECT_EQ(one.nearest.index, three.nearest.index);
    EXPECT_EQ(one.nearest.distance, three.nearest.distance);
    EXPECT_EQ(one.reached_by.row_start, three.reached_by.row_start);
    EXPECT_EQ(one.reached_by.index, three.reached_by.index);
    EXPECT_EQ(one.reached_by.distance, three.reached_by.distance);
  }
}

}  // namespace
}  // namespace stkr::neighbor_reach_test
