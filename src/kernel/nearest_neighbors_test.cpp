#include "stkr/kernel/nearest_neighbors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>
#include <tuple>

#include "kernel/neighbor_scan.hpp"
#include "runtime/random.hpp"
#include "searched_points.hpp"
#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::nearest_neighbors_test {
namespace {

using namespace testing;

TEST(NearestNeighbors, DistancesHaveTheSameBitsOnEveryMachine) {
  Random random(3);
  std::vector<float> x(301), y(301);
  for (int pair = 0; pair < 20; ++pair) {
    double sum = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = static_cast<float>(random.normal());
      y[k] = static_cast<float>(random.normal());
      const double apart = static_cast<double>(x[k]) - static_cast<double>(y[k]);
      const volatile double square = apart * apart;  // rounded: no fused multiply-add
      sum += square;
    }
    EXPECT_EQ(distance(x.data(), y.data(), 301), std::sqrt(sum));
  }
}

// k = 1 to k = N - 1, few and many points, few and many features, far from the origin, and such
// that uncorrected rounding to single precision would change the order.
TEST(NearestNeighbors, EqualsSortingAllDistances) {
  for (const auto& [count, features] :
       {std::pair<Index, Index>{2, 1}, {9, 3}, {70, 2}, {400, 17}, {700, 200}}) {
    for (const double offset : {0.0, 1024.0}) {
      const Matrix points = random_points(count, features, 3, offset);
      const Matrix queries = random_points(65, features, 4, offset);
      for (const Index k : {Index{1}, Index{10}, std::min<Index>(count - 1, 69)}) {
        if (k >= count) continue;
        SCOPED_TRACE(::testing::Message() << count << " x " << features << ", k = " << k);
        const NeighborIndex index = index_of(points, k);
        ASSERT_EQ(index.distinct(), count);
        expect_same(index.among_themselves(), sorted_out(points, points, k, true));
        expect_same(index.of(queries), sorted_out(queries, points, k, false));
      }
    }
  }
}

TEST(NearestNeighbors, DoublePrecisionDecidesWhatSinglePrecisionCannot) {
  // Two distant groups. Within a group, all distances differ by less than the rounding of inner
  // products, so single precision proposes arbitrary members as candidates.
  Matrix points(600, 3);
  Random random(7);
  for (Index i = 0; i < 600; ++i) {
    points.row(i) << (i % 2 == 0 ? 3000.0 : -3000.0),
        static_cast<double>(random.below(4096)) / 4096.0, static_cast<double>(i) / 4096.0;
  }
  expect_same(index_of(points, 6).among_themselves(), sorted_out(points, points, 6, true));
  Matrix queries = points.topRows(20);
  queries.rightCols(2).array() += 1.0 / 8192.0;
  expect_same(index_of(points, 6).of(queries), sorted_out(queries, points, 6, false));
}

TEST(NearestNeighbors, DoublePrecisionDecidesWhereProductsUnderflow) {
  for (const double scale : {0x1p-78, 0x1p-75, 0x1p-66}) {
    const Matrix points = scale * random_points(300, 4, 13);
    const NeighborIndex index = index_of(points, 6);
    ASSERT_EQ(index.distinct(), 300);
    const Neighbors found = index.among_themselves();
    const Neighbors expected = sorted_out(points, points, 6, true);
    for (std::size_t i = 0; i < expected.distance.size(); ++i) {
      ASSERT_NEAR(found.distance[i], expected.distance[i], 1e-12 * expected.distance[i]);
    }
  }
}

TEST(NearestNeighbors, TiesGoToTheSmallerIndex) {
  Matrix points(49, 2);  // a square grid
  for (Index i = 0; i < 49; ++i) {
    points.row(i) << static_cast<double>(i / 7), static_cast<double>(i % 7);
  }
  expect_same(index_of(points, 3).among_themselves(), sorted_out(points, points, 3, true));
}

TEST(NearestNeighbors, DoesNotDependOnTheNumberOfThreads) {
  const Matrix points = clustered_points(3000, 12, 5);
  for (const double recall : {1.0, 0.9}) {
    const Neighbors one = index_of(points, 8, recall, 1).among_themselves();
    for (const int threads : {2, 3, 7}) {
      const Neighbors other = index_of(points, 8, recall, threads).among_themselves();
      EXPECT_EQ(one.index, other.index) << recall << ", " << threads << " threads";
      EXPECT_EQ(one.distance, other.distance);
    }
  }
}

double recall_of(const Neighbors& found, const Neighbors& truth) {
  Index right = 0;
  for (Index q = 0; q < truth.count; ++q) {
    const auto begin = truth.index.begin() + q * truth.k;
    const std::set<std::int32_t> wanted(begin, begin + truth.k);
    for (Index r = 0; r < truth.k; ++r) right += wanted.contains(found.index[q * found.k + r]);
  }
  return static_cast<double>(right) / static_cast<double>(truth.count * truth.k);
}

TEST(NearestNeighbors, ApproximateSearchKeepsItsPromise) {
  const Matrix points = clustered_points(5000, 16, 6);
  const Matrix queries = clustered_points(500, 16, 6).topRows(500);
  const Neighbors truth = index_of(points, 10).among_themselves();
  const Neighbors truth_new = index_of(points, 10).of(queries);
  Index probes = 0;
  for (const double recall : {0.5, 0.9, 0.99}) {
    const NeighborIndex index = index_of(points, 10, recall);
    const double found = recall_of(index.among_themselves(), truth);
    EXPECT_GE(found, recall);
    EXPECT_NEAR(index.cells().recall, found, 0.02);
    EXPECT_GE(recall_of(index.of(queries), truth_new), recall - 0.02);
    EXPECT_GT(index.cells().probes, probes) << "a higher recall takes more cells";
    EXPECT_LT(index.cells().probes, index.cells().centers.rows());
    probes = index.cells().probes;
  }
}

TEST(NearestNeighbors, EqualPointsAreOnePlaceAndStayConnected) {
  // Ten copies of one point, and three more points on a line.
  Matrix points(13, 2);
  points.setZero();
  points.row(4) << 1.0, 0.0;
  points.row(7) << 3.0, 0.0;
  points.row(12) << -0.0, 0.0;
  points.row(9) << 6.0, 0.0;
  const NeighborIndex index = index_of(points, 3);
  EXPECT_EQ(index.distinct(), 4);
  const Neighbors found = index.among_themselves();
  const auto row = [&](Index i) {
    return std::vector<std::int32_t>(found.index.begin() + 3 * i, found.index.begin() + 3 * i + 3);
  };
  EXPECT_EQ(row(0), (std::vector<std::int32_t>{4, 7, 9}));
  EXPECT_EQ(row(1), (std::vector<std::int32_t>{0, 4, 7}));
  EXPECT_EQ(row(12), (std::vector<std::int32_t>{0, 4, 7}));
  EXPECT_EQ(row(4), (std::vector<std::int32_t>{0, 7, 9}));
  EXPECT_EQ(found.distance[3], 0.0);
  EXPECT_EQ(found.distance[3 * 4], 1.0);

  const Neighbors at = index.of(points.topRows(5));
  EXPECT_EQ(at.index[0], 0);
  EXPECT_EQ(at.distance[0], 0.0);
  EXPECT_EQ(at.index[3 * 4], 4);
}

TEST(NearestNeighbors, FindsThePlaceOfAnEqualPoint) {
  for (const auto& [count, features, values] :
       {std::tuple<Index, Index, Index>{40, 1, 15}, {3000, 1, 2000}, {2500, 3, 9}, {500, 40, 2}}) {
    for (const double offset : {0.0, 1048576.0}) {
      for (const double recall : {1.0, 0.5}) {
        SCOPED_TRACE(::testing::Message() << count << " x " << features << " + " << offset);
        const Matrix points = repeated_points(count, features, values, 10, offset);
        Matrix queries = repeated_points(300, features, values + 1, 11, offset);
        queries.topRows(20) = points.bottomRows(20);
        queries.row(20) = points.row(0).array() + 0.25;
        const NeighborIndex index = index_of(points, 4, recall);
        const std::vector<std::int32_t> places = index.place_of(queries);
        EXPECT_EQ(places[20], -1);
        ASSERT_EQ(places.size(), 300U);
        for (Index q = 0; q < 300; ++q) {
          std::vector<std::int32_t> equal;
          for (Index j = 0; j < count; ++j) {
            if (points.row(j) == queries.row(q)) equal.push_back(static_cast<std::int32_t>(j));
          }
          ASSERT_EQ(places[q] < 0, equal.empty());
          if (equal.empty()) continue;
          const auto there = index.samples_at(places[q]);
          ASSERT_EQ(std::vector<std::int32_t>(there.begin(), there.end()), equal);
        }
      }
    }
  }
}

TEST(NearestNeighbors, EveryPointIsAtItsPlace) {
  const Matrix points = clustered_points(800, 5, 12);  // rounded when stored
  Matrix copies(1000, 5);
  copies << points, points.topRows(200);
  const NeighborIndex index = index_of(copies, 4);
  EXPECT_EQ(index.distinct(), 800);
  EXPECT_EQ(index.place_of(copies), index.distinct_of());
  Index seen = 0;
  for (Index place = 0; place < index.distinct(); ++place) {
    for (const std::int32_t i : index.samples_at(place)) {
      EXPECT_EQ(index.distinct_of()[i], place);
      ++seen;
    }
  }
  EXPECT_EQ(seen, 1000);
  const NeighborIndex loaded(index.distinct_points(), index.distinct_of(), index.shift(), {},
                             index.options(), {}, "test");
  EXPECT_EQ(loaded.place_of(copies), index.distinct_of());
  Matrix zeros = Matrix::Zero(3, 1);
  zeros << 0.0, 1.0, 2.0;
  EXPECT_EQ(index_of(zeros, 1).place_of(Matrix::Constant(1, 1, -0.0)).front(), 0);
}

TEST(NearestNeighbors, AllPointsEqual) {
  const Neighbors found = index_of(Matrix::Constant(6, 3, 2.5), 4).among_themselves();
  EXPECT_EQ(std::vector<std::int32_t>(found.index.begin(), found.index.begin() + 4),
            (std::vector<std::int32_t>{-1, -1, -1, -1}));
  for (Index i = 1; i < 6; ++i) {
    EXPECT_EQ(found.index[4 * i], 0);
    EXPECT_EQ(found.index[4 * i + 1], -1);
  }
}

TEST(NearestNeighbors, ConstantFeaturesChangeNothing) {
  const Matrix points = random_points(300, 4, 8);
  Matrix with_constant(300, 6);
  with_constant << points, Matrix::Constant(300, 1, 1e6), Matrix::Constant(300, 1, -3.0);
  expect_same(index_of(with_constant, 5).among_themselves(), sorted_out(points, points, 5, true));
}

TEST(NearestNeighbors, RefusesWhatItCannotSearch) {
  Matrix points = random_points(8, 2, 9);
  const auto too_many = message_of<ValueError>([&] { index_of(points, 8); });
  EXPECT_NE(too_many.find("k = 8 neighbors of 8 points"), std::string::npos) << too_many;
  EXPECT_NE(too_many.find("1 to 7"), std::string::npos) << too_many;
  EXPECT_THROW(index_of(points, 0), ValueError);
  EXPECT_THROW(index_of(points, 3, 0.0), ValueError);
  EXPECT_THROW(index_of(points, 3, 1.5), ValueError);
  EXPECT_THROW(index_of(Matrix(0, 2), 1), ShapeError);
  EXPECT_THROW(index_of(Matrix(5, 0), 1), ShapeError);
  EXPECT_THROW(index_of(points, 3).of(Matrix::Zero(2, 3)), ShapeError);
  EXPECT_THROW(index_of(points, 3).of(points, Vector::Ones(7)), ShapeError);
  EXPECT_THROW(index_of(points, 3).of(points, Vector::Constant(8, -1.0)), ValueError);
  EXPECT_THROW(index_of(points, 3).of(points, Vector::Constant(8, std::nan(""))), ValueError);
  EXPECT_THROW(index_of(points, 3).place_of(Matrix::Zero(2, 3)), ShapeError);
  EXPECT_THROW(
      NeighborIndex(MatrixF::Ones(2, 2), {0, 0, 0}, Vector::Zero(2), {}, {.k = 1}, {}, "test"),
      ShapeError)
      << "no point is at the second place";
  EXPECT_THROW(index_of(1e25 * points, 3), ValueError) << "norms overflow in single precision";
  points(5, 1) = std::numeric_limits<double>::quiet_NaN();
  const auto nan = message_of<ValueError>([&] { index_of(points, 3); });
  EXPECT_NE(nan.find("row 5"), std::string::npos) << nan;
  EXPECT_NE(nan.find("column 1"), std::string::npos) << nan;
}

TEST(NearestNeighbors, ReportsProgressAndFindsTheSame) {
  const Matrix points = random_points(2500, 4, 2);
  for (const double recall : {1.0, 0.9}) {
    const NeighborIndex index = index_of(points, 3, recall);
    std::mutex mutex;
    std::vector<double> seen;
    const Neighbors watched = index.among_themselves([&](const Progress& progress) {
      const std::lock_guard lock(mutex);
      EXPECT_EQ(std::string(progress.phase), "neighbors");
      seen.push_back(progress.fraction());
    });
    EXPECT_EQ(watched.index, index.among_themselves().index);
    ASSERT_GE(seen.size(), 2u);
    EXPECT_EQ(seen.front(), 0.0);
    EXPECT_GT(seen.back(), 0.9);
  }
}

TEST(NearestNeighbors, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  const Matrix points = random_points(100, 3, 2);
  const NeighborIndex index(points, {.k = 3}, {.cancel = source.get_token()}, "test");
  EXPECT_THROW(index.among_themselves(), Cancelled);
  EXPECT_THROW(index.of(points, Vector::Ones(100)), Cancelled);
}

// Points of which most coordinates are 0; whole numbers, so that many distances are equal.
Matrix counts(Index count, Index features, std::uint64_t seed) {
  Random random(seed);
  Matrix points = Matrix::Zero(count, features);
  for (Index i = 0; i < count; ++i) {
    for (Index k = 0; k < features; ++k) {
      if (random.below(6) == 0) points(i, k) = static_cast<double>(1 + random.below(3));
    }
  }
  return points;
}

TEST(NearestNeighbors, SparsePointsHaveTheNeighborsOfDenseOnes) {
  for (const auto& [count, features] : {std::pair<Index, Index>{2, 1}, {60, 8}, {300, 40}}) {
    const Matrix points = counts(count, features, 21), queries = counts(70, features, 22);
    for (const Index k : {Index{1}, std::min<Index>(count - 1, 12)}) {
      SCOPED_TRACE(::testing::Message() << count << " x " << features << ", k = " << k);
      const NeighborIndex dense = index_of(points, k);
      const NeighborIndex sparse(sparse_of(points), {.k = k}, {.threads = 2}, "test");
      ASSERT_TRUE(sparse.sparse());
      ASSERT_EQ(sparse.features(), features);
      EXPECT_EQ(sparse.distinct_of(), dense.distinct_of());
      expect_same(sparse.among_themselves(), dense.among_themselves());
      expect_same(sparse.of(sparse_of(queries)), dense.of(queries));
      expect_same(sparse.of(queries), dense.of(queries));
      expect_same(dense.of(sparse_of(queries)), dense.of(queries));
      EXPECT_EQ(sparse.place_of(sparse_of(queries)), dense.place_of(queries));
      EXPECT_EQ(sparse.place_of(points), dense.place_of(points));
      Vector reach(count);
      for (Index i = 0; i < count; ++i) reach[i] = 0.5 + static_cast<double>(i % 5);
      const Surroundings around = sparse.of(sparse_of(queries), reach);
      const Surroundings expected = dense.of(queries, reach);
      expect_same(around.nearest, expected.nearest);
      EXPECT_EQ(around.reached_by.row_start, expected.reached_by.row_start);
      EXPECT_EQ(around.reached_by.index, expected.reached_by.index);
    }
  }
}

TEST(NearestNeighbors, SparsePointsAreCheckedLikeDenseOnes) {
  const CsrMatrix points = sparse_of(counts(20, 6, 23));
  const NeighborIndex index(points, {.k = 3}, {}, "test");
  EXPECT_THAT(message_of<ShapeError>([&] { index.of(sparse_of(counts(2, 5, 1))); }),
              ::testing::HasSubstr("5 features but the known ones have 6"));
  CsrMatrix bad = points;
  bad.value[3] = std::nan("");
  EXPECT_THROW(NeighborIndex(bad, {.k = 3}, {}, "test"), ValueError);
  EXPECT_THROW(index.of(bad), ValueError);
  bad.value[3] = 1e200;
  EXPECT_THAT(message_of<ValueError>([&] { NeighborIndex(bad, {.k = 3}, {}, "test"); }),
              ::testing::HasSubstr("overflows"));
}

}  // namespace
}  // namespace stkr::nearest_neighbors_test
