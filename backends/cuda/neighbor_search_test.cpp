#include "neighbor_search.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "neighbor_test_points.hpp"
#include "stkr/error.hpp"

namespace stkr::cuda {
namespace {

using namespace testing;

class NeighborSearchOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (no_device()) GTEST_SKIP() << "skipped: no device";
  }
};

NeighborSearch search_of(const TestPoints& points, NeighborSettings settings = {}) {
  return NeighborSearch(points.values.data(), points.count, points.features, std::move(settings));
}

void expect_same(const NearestPoints& found, const NearestPoints& expected) {
  EXPECT_EQ(found.index, expected.index);
  EXPECT_EQ(found.distance, expected.distance);  // to the last bit
}

// The first k of `all` neighbors.
NearestPoints first_of(const NearestPoints& near, int all, int k) {
  NearestPoints result;
  for (std::size_t i = 0; i < near.index.size(); ++i) {
    if (i % all >= static_cast<std::size_t>(k)) continue;
    result.index.push_back(near.index[i]);
    result.distance.push_back(near.distance[i]);
  }
  return result;
}

// Points like these, some of them the same, and one far away.
TestPoints queries_of(const TestPoints& points) {
  TestPoints queries{"queries", 130, points.features, {}};
  for (std::int64_t q = 0; q < queries.count; ++q) {
    const float* a = points.row(q * 7 % points.count);
    const float* b = points.row(q * 11 % points.count);
    for (std::int64_t f = 0; f < points.features; ++f) {
      const float value = q % 3 == 0 ? a[f] : a[f] + 0.25F * (b[f] - a[f]);
      queries.values.push_back(q == 5 ? 1000.0F * value : value);
    }
  }
  return queries;
}

TEST_F(NeighborSearchOnDevice, EqualsSortingAllDistancesOfDifficultPoints) {
  for (const TestPoints& points : difficult_points()) {
    const TestPoints queries = queries_of(points);
    const NearestPoints near = sorted_out(points, points, 64, true);
    const NearestPoints near_queries = sorted_out(queries, points, 64, false);
    for (const int k : {1, 10, 64}) {
      for (const bool portable : {false, true}) {
        SCOPED_TRACE(points.name + ", k = " + std::to_string(k) + (portable ? ", portable" : ""));
        NeighborSearch search = search_of(points, {.portable = portable});
        expect_same(search.among_themselves(k), first_of(near, 64, k));
        expect_same(search.of(queries.values.data(), queries.count, k),
                    first_of(near_queries, 64, k));
      }
    }
  }
}

TEST_F(NeighborSearchOnDevice, EqualsSortingAllDistancesForAnySize) {
  for (const auto& [count, features] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                        {2, 1},
                                        {3, 2},
                                        {9, 3},
                                        {64, 8},
                                        {65, 9},
                                        {255, 24},
                                        {256, 40},
                                        {257, 56},
                                        {511, 57},
                                        {513, 72},
                                        {700, 100},
                                        {1025, 130},
                                        {1500, 200},
                                        {777, 312},
                                        {600, 313},
                                        {530, 784},
                                        {300, 1025},
                                        {270, 4096},
                                        {260, 5000}}) {
    const TestPoints points = normal_points(count, features);
    const TestPoints queries = normal_points(77, features);
    const NearestPoints near = sorted_out(points, points, 7, true);
    const NearestPoints near_queries = sorted_out(queries, points, 7, false);
    for (const bool portable : {false, true}) {
      SCOPED_TRACE(std::to_string(count) + " x " + std::to_string(features) +
                   (portable ? ", portable" : ""));
      NeighborSearch search = search_of(points, {.portable = portable});
      expect_same(search.among_themselves(7), near);
      expect_same(search.of(queries.values.data(), queries.count, 7), near_queries);
    }
  }
}

// Several blocks of points, and both kinds of resident operands.
TEST_F(NeighborSearchOnDevice, EqualsTheSearchInDoublePrecisionOfManyPoints) {
  for (const auto& [count, features] :
       {std::pair<std::int64_t, std::int64_t>{20011, 17}, {9000, 300}, {6007, 500}}) {
    const TestPoints points = clustered_points(count, features, 50, 0.4);
    NeighborSearch search = search_of(points);
    NeighborSearch exact = search_of(points, {.exact = true});
    for (const int k : {1, 10, 40}) {
      SCOPED_TRACE(std::to_string(count) + " x " + std::to_string(features));
      const NearestPoints found = search.among_themselves(k);
      expect_same(found, exact.among_themselves(k));
      EXPECT_LT(found.searched_again, count / 10) << "half precision should decide here";
      expect_same(search.among_themselves(k), found);  // and again
      expect_same(search.of(points.values.data(), 3000, k),
                  exact.of(points.values.data(), 3000, k));
    }
  }
}

ReachingPoints measured(const TestPoints& queries, const TestPoints& points,
                        const std::vector<double>& reach) {
  ReachingPoints result;
  result.row_start.push_back(0);
  for (std::int64_t q = 0; q < queries.count; ++q) {
    for (std::int64_t j = 0; j < points.count; ++j) {
      const double apart = ordered_distance(queries.row(q), points.row(j), points.features);
      if (apart > reach[j]) continue;
      result.index.push_back(static_cast<std::int32_t>(j));
      result.distance.push_back(apart);
    }
    result.row_start.push_back(static_cast<std::int64_t>(result.index.size()));
  }
  return result;
}

TEST_F(NeighborSearchOnDevice, FindsWhoReachesAQuery) {
  for (const TestPoints& points : difficult_points()) {
    const TestPoints queries = queries_of(points);
    for (const bool portable : {false, true}) {
      SCOPED_TRACE(points.name + (portable ? ", portable" : ""));
      NeighborSearch search = search_of(points, {.portable = portable});
      // The distance of each point to its sixth neighbor; some reach nobody, one everybody.
      const NearestPoints near = search.among_themselves(6);
      std::vector<double> reach(points.count);
      for (std::int64_t i = 0; i < points.count; ++i) {
        reach[i] = i % 5 == 0 ? 0.0 : near.distance[i * 6 + 5];
      }
      reach[points.count / 2] = 1e300;
      const ReachingPoints found = search.reaching(queries.values.data(), queries.count, reach);
      const ReachingPoints expected = measured(queries, points, reach);
      EXPECT_EQ(found.row_start, expected.row_start);
      EXPECT_EQ(found.index, expected.index);
      EXPECT_EQ(found.distance, expected.distance);
    }
  }
}

TEST_F(NeighborSearchOnDevice, SaysWhichKItTakes) {
  NeighborSearch search = search_of(normal_points(100, 3));
  EXPECT_THROW(search.among_themselves(0), ParameterError);
  EXPECT_THROW(search.among_themselves(kMostNeighbors + 1), ParameterError);
}

TEST_F(NeighborSearchOnDevice, EndsWhenAsked) {
  int calls = 0;
  const auto stop = [&] {
    if (++calls == 3) throw Cancelled("test");
  };
  const TestPoints points = normal_points(5000, 4);
  NeighborSearch search = search_of(points, {.between = stop});
  EXPECT_THROW(search.among_themselves(5), Cancelled);
}

TEST(NeighborSearchBytes, GrowWithPointsFeaturesAndQueries) {
  const std::uint64_t few = neighbor_search_bytes(1000, 10, 0, 10);
  EXPECT_LT(few, neighbor_search_bytes(100000, 10, 0, 10));
  EXPECT_LT(neighbor_search_bytes(100000, 10, 0, 10), neighbor_search_bytes(100000, 500, 0, 10));
  EXPECT_LT(neighbor_search_bytes(1000000, 64, 0, 10), std::uint64_t{8} << 30);
  EXPECT_LT(neighbor_search_bytes(1000000, 4096, 0, 10), std::uint64_t{36} << 30);
  // Queries beyond a part take no more.
  EXPECT_EQ(neighbor_search_bytes(1000, 10, 1 << 20, 10),
            neighbor_search_bytes(1000, 10, 1 << 24, 10));
}

}  // namespace
}  // namespace stkr::cuda
