#include "dataset/graph_statistics.hpp"

#include <gtest/gtest.h>

#include "stkr/error.hpp"

namespace stkr::graph_statistics_test {
namespace {

// A triangle 0-1-2, an edge 3-4, and the isolated nodes 5 and 6.
CsrMatrix example() {
  std::vector<Triplet> entries;
  const auto join = [&](std::int32_t i, std::int32_t j, double weight) {
    entries.push_back({i, j, weight});
    entries.push_back({j, i, weight});
  };
  join(0, 1, 1.0);
  join(1, 2, 0.5);
  join(0, 2, 2.0);
  join(3, 4, 3.0);
  return csr_from_triplets(7, 7, std::move(entries));
}

TEST(GraphStatistics, CountsWhatIsThere) {
  const std::vector<Index> labeled{1, 5};
  const GraphStatistics statistics = graph_statistics(example(), labeled);
  EXPECT_EQ(statistics.nodes, 7);
  EXPECT_EQ(statistics.entries, 8);
  EXPECT_EQ(statistics.isolated_nodes, 2);
  EXPECT_EQ(statistics.smallest_degree, 0);
  EXPECT_EQ(statistics.median_degree, 1);
  EXPECT_EQ(statistics.largest_degree, 2);
  EXPECT_DOUBLE_EQ(statistics.mean_degree, 8.0 / 7.0);
  EXPECT_EQ(statistics.smallest_weight, 0.5);
  EXPECT_EQ(statistics.largest_weight, 3.0);
  EXPECT_EQ(statistics.components, 4);
  EXPECT_EQ(statistics.largest_component, 3);
  EXPECT_EQ(statistics.components_without_label, 2) << "3-4 and 6";
  EXPECT_EQ(statistics.nodes_without_label, 3);
}

TEST(GraphStatistics, GraphsWithoutEdgesOrNodes) {
  const GraphStatistics alone = graph_statistics(CsrMatrix{3, 3, {0, 0, 0, 0}, {}, {}}, {});
  EXPECT_EQ(alone.components, 3);
  EXPECT_EQ(alone.largest_component, 1);
  EXPECT_EQ(alone.components_without_label, 3);
  EXPECT_EQ(graph_statistics(CsrMatrix{0, 0, {0}, {}, {}}, {}).components, 0);
}

TEST(GraphStatistics, RefusesLabelsOfNoNode) {
  const std::vector<Index> labeled{7};
  EXPECT_THROW(graph_statistics(example(), labeled), ValueError);
}

}  // namespace
}  // namespace stkr::graph_statistics_test
