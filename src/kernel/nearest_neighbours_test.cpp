#include "stkr/kernel/nearest_neighbours.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "stkr/error.hpp"
#include "stkr/linop/random.hpp"
#include "temporary_folder.hpp"

namespace stkr {
namespace {

using testing::message_of;

// Coordinates are multiples of 1/64: they stay what they are in single precision, shifted or not.
Matrix random_points(Index count, Index features, std::uint64_t seed, double offset = 0.0) {
  Random random(seed);
  Matrix points(count, features);
  for (double& value : points.reshaped()) {
    value = std::round(64.0 * random.normal()) / 64.0 + offset;
  }
  return points;
}

// Points around a few centres, as data that is worth a neighbour graph has them.
Matrix clustered_points(Index count, Index features, std::uint64_t seed) {
  Random random(seed);
  const Matrix centres = random_points(20, features, seed + 1);
  Matrix points(count, features);
  for (Index i = 0; i < count; ++i) {
    points.row(i) = 4.0 * centres.row(random.below(20));
    for (Index k = 0; k < features; ++k) points(i, k) += random.normal();
  }
  return points;
}

// By sorting all distances: what the search must give where no two points are equal.
Neighbours sorted_out(const Matrix& queries, const Matrix& points, Index k, bool themselves) {
  Neighbours result{queries.rows(), k, {}, {}};
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

void expect_same(const Neighbours& found, const Neighbours& expected) {
  ASSERT_EQ(found.count, expected.count);
  ASSERT_EQ(found.k, expected.k);
  EXPECT_EQ(found.index, expected.index);
  for (std::size_t i = 0; i < expected.distance.size(); ++i) {
    ASSERT_NEAR(found.distance[i], expected.distance[i], 1e-12 * (1.0 + expected.distance[i]));
  }
}

NeighbourIndex index_of(const Matrix& points, Index k, double recall = 1.0, int threads = 0) {
  return {points, {.k = k, .recall = recall, .seed = 1, .threads = threads, .cancel = {}}, "test"};
}

// k = 1 to k = N - 1, few and many points, few and many features, far from the origin, and such
// that rounding to single precision changes the order unless it is made good.
TEST(NearestNeighbours, EqualsSortingAllDistances) {
  for (const auto& [count, features] :
       {std::pair<Index, Index>{2, 1}, {9, 3}, {70, 2}, {400, 17}, {700, 200}}) {
    for (const double offset : {0.0, 1024.0}) {
      const Matrix points = random_points(count, features, 3, offset);
      const Matrix queries = random_points(65, features, 4, offset);
      for (const Index k : {Index{1}, Index{10}, std::min<Index>(count - 1, 69)}) {
        if (k >= count) continue;
        SCOPED_TRACE(::testing::Message() << count << " x " << features << ", k = " << k);
        const NeighbourIndex index = index_of(points, k);
        ASSERT_EQ(index.distinct(), count);
        expect_same(index.among_themselves(), sorted_out(points, points, k, true));
        expect_same(index.of(queries), sorted_out(queries, points, k, false));
      }
    }
  }
}

TEST(NearestNeighbours, DoublePrecisionDecidesWhatSinglePrecisionCannot) {
  // Two crowds far from each other: within one, all distances differ by less than the rounding of
  // inner products, so that the candidates of single precision are any of it.
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

TEST(NearestNeighbours, TiesGoToTheSmallerIndex) {
  Matrix points(49, 2);  // a square grid
  for (Index i = 0; i < 49; ++i) {
    points.row(i) << static_cast<double>(i / 7), static_cast<double>(i % 7);
  }
  expect_same(index_of(points, 3).among_themselves(), sorted_out(points, points, 3, true));
}

TEST(NearestNeighbours, DoesNotDependOnTheNumberOfThreads) {
  const Matrix points = clustered_points(3000, 12, 5);
  for (const double recall : {1.0, 0.9}) {
    const Neighbours one = index_of(points, 8, recall, 1).among_themselves();
    for (const int threads : {2, 3, 7}) {
      const Neighbours other = index_of(points, 8, recall, threads).among_themselves();
      EXPECT_EQ(one.index, other.index) << recall << ", " << threads << " threads";
      EXPECT_EQ(one.distance, other.distance);
    }
  }
}

double recall_of(const Neighbours& found, const Neighbours& truth) {
  Index right = 0;
  for (Index q = 0; q < truth.count; ++q) {
    const auto begin = truth.index.begin() + q * truth.k;
    const std::set<std::int32_t> wanted(begin, begin + truth.k);
    for (Index r = 0; r < truth.k; ++r) right += wanted.contains(found.index[q * found.k + r]);
  }
  return static_cast<double>(right) / static_cast<double>(truth.count * truth.k);
}

TEST(NearestNeighbours, ApproximateSearchKeepsItsPromise) {
  const Matrix points = clustered_points(5000, 16, 6);
  const Matrix queries = clustered_points(500, 16, 6).topRows(500);
  const Neighbours truth = index_of(points, 10).among_themselves();
  const Neighbours truth_new = index_of(points, 10).of(queries);
  Index probes = 0;
  for (const double recall : {0.5, 0.9, 0.99}) {
    const NeighbourIndex index = index_of(points, 10, recall);
    const double found = recall_of(index.among_themselves(), truth);
    EXPECT_GE(found, recall);
    EXPECT_NEAR(index.cells().recall, found, 0.02);
    EXPECT_GE(recall_of(index.of(queries), truth_new), recall - 0.02);
    EXPECT_GT(index.cells().probes, probes) << "a higher recall takes more cells";
    EXPECT_LT(index.cells().probes, index.cells().centres.rows());
    probes = index.cells().probes;
  }
}

TEST(NearestNeighbours, EqualPointsAreOnePlaceAndStayConnected) {
  // Ten copies of one point, and three more points on a line.
  Matrix points(13, 2);
  points.setZero();
  points.row(4) << 1.0, 0.0;
  points.row(7) << 3.0, 0.0;
  points.row(12) << -0.0, 0.0;
  points.row(9) << 6.0, 0.0;
  const NeighbourIndex index = index_of(points, 3);
  EXPECT_EQ(index.distinct(), 4);
  const Neighbours found = index.among_themselves();
  const auto row = [&](Index i) {
    return std::vector<std::int32_t>(found.index.begin() + 3 * i, found.index.begin() + 3 * i + 3);
  };
  EXPECT_EQ(row(0), (std::vector<std::int32_t>{4, 7, 9}));
  EXPECT_EQ(row(1), (std::vector<std::int32_t>{0, 4, 7}));
  EXPECT_EQ(row(12), (std::vector<std::int32_t>{0, 4, 7}));
  EXPECT_EQ(row(4), (std::vector<std::int32_t>{0, 7, 9}));
  EXPECT_EQ(found.distance[3], 0.0);
  EXPECT_EQ(found.distance[3 * 4], 1.0);

  const Neighbours at = index.of(points.topRows(5));
  EXPECT_EQ(at.index[0], 0);
  EXPECT_EQ(at.distance[0], 0.0);
  EXPECT_EQ(at.index[3 * 4], 4);
}

// Few coordinates, so that many points are equal.
Matrix repeated_points(Index count, Index features, Index values, std::uint64_t seed,
                       double offset = 0.0) {
  Random random(seed);
  Matrix points(count, features);
  for (double& value : points.reshaped()) {
    value = static_cast<double>(random.below(values)) + offset;
  }
  return points;
}

TEST(NearestNeighbours, FindsThePlaceOfAnEqualPoint) {
  for (const auto& [count, features, values] :
       {std::tuple<Index, Index, Index>{40, 1, 15}, {3000, 1, 2000}, {2500, 3, 9}, {500, 40, 2}}) {
    for (const double offset : {0.0, 1048576.0}) {
      for (const double recall : {1.0, 0.5}) {
        SCOPED_TRACE(::testing::Message() << count << " x " << features << " + " << offset);
        const Matrix points = repeated_points(count, features, values, 10, offset);
        Matrix queries = repeated_points(300, features, values + 1, 11, offset);
        queries.topRows(20) = points.bottomRows(20);
        queries.row(20) = points.row(0).array() + 0.25;
        const NeighbourIndex index = index_of(points, 4, recall);
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

TEST(NearestNeighbours, EveryPointIsAtItsPlace) {
  const Matrix points = clustered_points(800, 5, 12);  // rounded when they are stored
  Matrix copies(1000, 5);
  copies << points, points.topRows(200);
  const NeighbourIndex index = index_of(copies, 4);
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
  const NeighbourIndex loaded(index.distinct_points(), index.distinct_of(), index.shift(), {},
                              index.options(), "test");
  EXPECT_EQ(loaded.place_of(copies), index.distinct_of());
  Matrix zeros = Matrix::Zero(3, 1);
  zeros << 0.0, 1.0, 2.0;
  EXPECT_EQ(index_of(zeros, 1).place_of(Matrix::Constant(1, 1, -0.0)).front(), 0);
}

TEST(NearestNeighbours, AllPointsEqual) {
  const Neighbours found = index_of(Matrix::Constant(6, 3, 2.5), 4).among_themselves();
  EXPECT_EQ(std::vector<std::int32_t>(found.index.begin(), found.index.begin() + 4),
            (std::vector<std::int32_t>{-1, -1, -1, -1}));
  for (Index i = 1; i < 6; ++i) {
    EXPECT_EQ(found.index[4 * i], 0);
    EXPECT_EQ(found.index[4 * i + 1], -1);
  }
}

TEST(NearestNeighbours, ConstantFeaturesChangeNothing) {
  const Matrix points = random_points(300, 4, 8);
  Matrix with_constant(300, 6);
  with_constant << points, Matrix::Constant(300, 1, 1e6), Matrix::Constant(300, 1, -3.0);
  expect_same(index_of(with_constant, 5).among_themselves(), sorted_out(points, points, 5, true));
}

TEST(NearestNeighbours, RefusesWhatItCannotSearch) {
  Matrix points = random_points(8, 2, 9);
  const auto too_many = message_of<ValueError>([&] { index_of(points, 8); });
  EXPECT_NE(too_many.find("k = 8 neighbours of 8 points"), std::string::npos) << too_many;
  EXPECT_NE(too_many.find("1 to 7"), std::string::npos) << too_many;
  EXPECT_THROW(index_of(points, 0), ValueError);
  EXPECT_THROW(index_of(points, 3, 0.0), ValueError);
  EXPECT_THROW(index_of(points, 3, 1.5), ValueError);
  EXPECT_THROW(index_of(Matrix(0, 2), 1), ShapeError);
  EXPECT_THROW(index_of(Matrix(5, 0), 1), ShapeError);
  EXPECT_THROW(index_of(points, 3).of(Matrix::Zero(2, 3)), ShapeError);
  EXPECT_THROW(index_of(points, 3).place_of(Matrix::Zero(2, 3)), ShapeError);
  EXPECT_THROW(
      NeighbourIndex(MatrixF::Ones(2, 2), {0, 0, 0}, Vector::Zero(2), {}, {.k = 1}, "test"),
      ShapeError)
      << "nobody is at the second place";
  EXPECT_THROW(index_of(1e25 * points, 3), ValueError) << "norms overflow in single precision";
  points(5, 1) = std::numeric_limits<double>::quiet_NaN();
  const auto nan = message_of<ValueError>([&] { index_of(points, 3); });
  EXPECT_NE(nan.find("row 5"), std::string::npos) << nan;
  EXPECT_NE(nan.find("column 1"), std::string::npos) << nan;
}

TEST(NearestNeighbours, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  const Matrix points = random_points(100, 3, 2);
  const NeighbourIndex index(points, {.k = 3, .cancel = source.get_token()}, "test");
  EXPECT_THROW(index.among_themselves(), Cancelled);
}

}  // namespace
}  // namespace stkr
