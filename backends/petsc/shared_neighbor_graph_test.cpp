#include "shared_neighbor_graph.hpp"

#include <gtest/gtest.h>

#include "kernel/searched_points.hpp"
#include "shared_cases.hpp"
#include "stkr/error.hpp"

namespace stkr::shared_neighbor_graph_test {

using petsc::own_rows;
using petsc::shared_layout;
using petsc::shared_neighbor_graph;

struct PointCase {
  std::string name;
  Matrix points;
};

std::vector<PointCase> point_cases() {
  Matrix ends = testing::random_points(41, 3, 8);
  ends.bottomRows(20) = ends.topRows(20);  // copies in other processes
  Matrix equal = Matrix::Constant(24, 2, 0.25);
  equal.row(17) << 1.0, 2.0;
  return {{"random", testing::random_points(600, 5, 1)},
          {"clustered", testing::clustered_points(500, 20, 2)},
          {"far away", testing::random_points(300, 4, 3, 1000.0)},
          {"repeated", testing::repeated_points(400, 3, 4, 4)},
          {"copies at both ends", ends},
          {"nearly all equal", equal},
          {"three", testing::random_points(3, 2, 5)},
          {"two", testing::random_points(2, 1, 6)}};
}

// The graph of all processes, bit by bit that of one machine.
void expect_same_graph(const Matrix& points, const NeighborGraphOptions& options) {
  const NeighborGraph expected = neighbor_graph(points, options, {.threads = 1});
  const petsc::Layout layout = shared_layout(points.rows());
  const Matrix own = own_rows(points, *layout);
  const auto graph = shared_neighbor_graph(layout, own, options, {.threads = 2});
  const CsrMatrix weights = own_rows(expected.weights, *layout);
  EXPECT_EQ(graph.weights.row_start, weights.row_start);
  EXPECT_EQ(graph.weights.column, weights.column);
  EXPECT_EQ(graph.weights.value, weights.value);
  EXPECT_EQ(graph.weights.cols, weights.cols);
  EXPECT_EQ(graph.edges.length_scale, expected.edges.length_scale);
  EXPECT_EQ(graph.edges.sigma, expected.edges.sigma.segment(layout->first(), layout->count()));
  EXPECT_EQ(graph.edges.reach, expected.edges.reach.segment(layout->first(), layout->count()));
  // What a model keeps of the points.
  EXPECT_EQ(graph.places.shift, expected.index.shift());
  EXPECT_EQ(graph.places.layout->size(), expected.index.distinct());
  const auto first = expected.index.distinct_of().begin() + layout->first();
  EXPECT_EQ(graph.places.of, std::vector<std::int32_t>(first, first + layout->count()));
  const petsc::RowLayout& places = *graph.places.layout;
  EXPECT_EQ(graph.places.points,
            expected.index.distinct_points().middleRows(places.first(), places.count()));
}

TEST(SharedNeighborGraph, IsThatOfOneMachineBitByBit) {
  for (const PointCase& one : point_cases()) {
    for (const Index k : {Index{1}, Index{2}, Index{7}, Index{12}}) {
      if (k >= one.points.rows()) continue;
      SCOPED_TRACE(one.name + " " + std::to_string(k));
      expect_same_graph(one.points, {.k = k});
    }
  }
}

TEST(SharedNeighborGraph, HasAllWeightsAndRules) {
  for (const PointCase& one : point_cases()) {
    const Index k = std::min<Index>(5, one.points.rows() - 1);
    for (const EdgeWeight weight :
         {EdgeWeight::binary, EdgeWeight::heat, EdgeWeight::self_tuning, EdgeWeight::cosine}) {
      for (const EdgeRule rule : {EdgeRule::either, EdgeRule::mutual}) {
        SCOPED_TRACE(one.name + " " + to_string(weight) + " " + to_string(rule));
        expect_same_graph(one.points, {.k = k, .weight = weight, .rule = rule});
      }
    }
  }
}

TEST(SharedNeighborGraph, SearchesAgainWhatSinglePrecisionCannotDecide) {
  // Points on a line far apart, each with many others nearly at the same distance.
  Matrix points = testing::random_points(200, 3, 9);
  for (Index i = 0; i < points.rows(); ++i) points(i, 0) = 1e4 * static_cast<double>(i % 2);
  points.col(1) *= 1e-2;
  points.col(2) *= 1e-2;
  expect_same_graph(points, {.k = 6});
}

TEST(SharedNeighborGraph, ThrowsInAllProcesses) {
  const Matrix points = testing::random_points(20, 2, 7);
  const petsc::Layout layout = shared_layout(points.rows());
  const Matrix own = own_rows(points, *layout);
  EXPECT_THROW(shared_neighbor_graph(layout, own, {.k = 20}), ParameterError);
  // Groups whose offsets single precision cannot tell from their points.
  Matrix apart = testing::random_points(60, 2, 7);
  for (Index i = 0; i < apart.rows(); ++i) apart(i, 0) += 1e10 * static_cast<double>(i % 3);
  const petsc::Layout other = shared_layout(apart.rows());
  EXPECT_THROW(shared_neighbor_graph(other, Matrix(own_rows(apart, *other)), {.k = 3}), ValueError);
  EXPECT_THROW(neighbor_graph(apart, {.k = 3}), ValueError);
}

TEST(SharedNeighborGraph, StopsAllProcessesIfOneIsInterrupted) {
  const Matrix points = testing::random_points(300, 2, 7);
  const petsc::Layout layout = shared_layout(points.rows());
  std::stop_source stop;
  if (layout->first() == 0) stop.request_stop();
  Context context;
  context.cancel = stop.get_token();
  EXPECT_THROW(shared_neighbor_graph(layout, Matrix(own_rows(points, *layout)), {.k = 3}, context),
               Cancelled);
}

}  // namespace stkr::shared_neighbor_graph_test
