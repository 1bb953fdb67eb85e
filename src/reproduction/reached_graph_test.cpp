#include "stkr/reproduction/reached_graph.hpp"

#include <gtest/gtest.h>

#include "dense_reference.hpp"

namespace stkr {
namespace {

// Two paths {0..3} and {4..7}, a triangle {8, 9, 10}, and 11 without edges. Node 3 is joined to 4
// by nothing but the test node 12, and the triangle to it too.
Dataset graph() {
  std::vector<Triplet> edges;
  const auto join = [&](std::int32_t i, std::int32_t j) {
    edges.push_back({i, j, 1.0});
    edges.push_back({j, i, 1.0});
  };
  for (const std::int32_t i : {0, 1, 2, 4, 5, 6}) join(i, i + 1);
  join(8, 9);
  join(9, 10);
  join(8, 10);
  join(3, 12);
  join(4, 12);
  join(8, 12);
  Dataset dataset;
  dataset.samples = Graph{csr_from_triplets(13, 13, edges), {}};
  ClassLabels labels{{"0", "1"}, {}};
  for (int i = 0; i < 13; ++i) labels.code.push_back(i % 2);
  dataset.labels = dataset.truth = labels;
  return dataset;
}

const FourWaySplit kSplit{{0, 5}, {1}, {12}, {2, 3, 4, 6, 7, 8, 9, 10, 11}};

Matrix dense(const Dataset& dataset) {
  const CsrMatrix& a = dataset.graph().adjacency;
  Matrix result = Matrix::Zero(a.rows, a.cols);
  for (Index i = 0; i < a.rows; ++i) {
    for (std::int64_t k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
      result(i, a.column[k]) = a.value[k];
    }
  }
  return result;
}

TEST(ReachedGraph, IsTheWholeWhereTheTestNodeJoinsIt) {
  EXPECT_EQ(dense(reached_graph(graph(), kSplit, Setting::transductive)), dense(graph()));
}

// Without the test node no path leads from a label to the triangle, and none from 0 to {2, 3},
// because node 1 is not seen either. What the test node itself sees stays.
TEST(ReachedGraph, LosesTheEdgesThatNoLabelReaches) {
  Matrix expected = dense(graph());
  for (const auto& [i, j] : {std::pair{8, 9}, {9, 10}, {8, 10}, {2, 3}}) {
    EXPECT_EQ(expected(i, j), 1.0);
    expected(i, j) = expected(j, i) = 0.0;
  }
  EXPECT_EQ(dense(reached_graph(graph(), kSplit, Setting::inductive)), expected);
}

}  // namespace
}  // namespace stkr
