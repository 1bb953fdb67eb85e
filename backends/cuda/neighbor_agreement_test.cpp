// The search on the device against NeighborIndex on the CPU: the same neighbors, bit for bit.

#include <gtest/gtest.h>

#include "kernel/neighbor_scan.hpp"
#include "neighbor_search.hpp"
#include "neighbor_test_points.hpp"
#include "stkr/kernel/nearest_neighbors.hpp"

namespace stkr::cuda {
namespace {

using namespace testing;

Matrix matrix_of(const TestPoints& points) {
  Matrix matrix(points.count, points.features);
  for (Index i = 0; i < points.count; ++i) {
    for (Index f = 0; f < points.features; ++f) matrix(i, f) = points.row(i)[f];
  }
  return matrix;
}

TEST(NeighborAgreement, DistancesAreSummedInTheSameOrder) {
  for (const TestPoints& points : difficult_points()) {
    for (Index i = 0; i + 1 < std::min<Index>(points.count, 200); ++i) {
      ASSERT_EQ(ordered_distance(points.row(i), points.row(i + 1), points.features),
                distance(points.row(i), points.row(i + 1), points.features))
          << points.name;
    }
  }
}

TEST(NeighborAgreement, FindsWhatTheCpuFinds) {
  if (no_device()) GTEST_SKIP() << "skipped: no device";
  for (const TestPoints& points : difficult_points()) {
    for (const Index k : {Index{1}, Index{10}, Index{50}}) {
      SCOPED_TRACE(points.name + ", k = " + std::to_string(k));
      const NeighborOptions options{.k = k};
      const NeighborIndex all(matrix_of(points), options, {}, "test");
      if (all.distinct() <= k) continue;
      // Equal points share a place on the CPU; search among the places.
      const NeighborIndex index(all.distinct_points().cast<double>(), options, {}, "test");
      if (index.distinct() < index.size()) continue;
      const MatrixF& places = index.distinct_points();
      NeighborSearch search(places.data(), places.rows(), places.cols());
      const Neighbors expected = index.among_themselves();
      const NearestPoints found = search.among_themselves(static_cast<int>(k));
      EXPECT_EQ(found.distance, expected.distance);
      // All distances of a far point are equal after rounding. The device breaks such ties by index
      // among all points, the CPU among those that its inner products put first.
      if (points.name == "one far point") continue;
      EXPECT_EQ(found.index, expected.index);

      const Index asked = std::min<Index>(100, index.size());
      const Matrix queries =
          0.5 * (all.distinct_points().topRows(asked) + all.distinct_points().bottomRows(asked))
                    .cast<double>();
      const Vector reach = Vector::LinSpaced(
          index.size(), 0.0, 2.0 * *std::max_element(found.distance.begin(), found.distance.end()));
      const Surroundings around = index.of(queries, reach);
      MatrixF placed(asked, places.cols());
      for (Index q = 0; q < asked; ++q) {
        for (Index f = 0; f < places.cols(); ++f) {
          placed(q, f) = static_cast<float>(queries(q, f) - index.shift()[f]) + 0.0F;
        }
      }
      const NearestPoints near = search.of(placed.data(), asked, static_cast<int>(k));
      EXPECT_EQ(near.index, around.nearest.index);
      EXPECT_EQ(near.distance, around.nearest.distance);
      const ReachingPoints reaching = search.reaching(
          placed.data(), asked, {reach.data(), static_cast<std::size_t>(reach.size())});
      EXPECT_EQ(reaching.row_start, around.reached_by.row_start);
      EXPECT_EQ(reaching.index, around.reached_by.index);
      EXPECT_EQ(reaching.distance, around.reached_by.distance);
    }
  }
}

}  // namespace
}  // namespace stkr::cuda
