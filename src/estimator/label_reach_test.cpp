#include <gtest/gtest.h>

#include "gram/centered_gram.hpp"
#include "gram/normalized_gram.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/gram/graph_gram.hpp"

namespace stkr::label_reach_test {
namespace {

// 0-2-4, 1-3, and an isolated node 5.
std::unique_ptr<GraphGram> small_graph() {
  return std::make_unique<GraphGram>(
      csr_from_triplets(6, 6, {{0, 2, 1}, {2, 0, 1}, {2, 4, 1}, {4, 2, 1}, {1, 3, 1}, {3, 1, 1}}));
}

TEST(LabelReach, CountsComponentsAndThoseWithoutALabel) {
  const auto gram = small_graph();
  const auto reach = label_reach(*gram, std::vector<Index>{4});
  ASSERT_TRUE(reach.has_value());
  EXPECT_EQ(reach->component, (std::vector<std::int32_t>{0, 1, 0, 1, 0, 2}));
  EXPECT_EQ(reach->size, (std::vector<Index>{3, 2, 1}));
  EXPECT_EQ(reach->labeled, (std::vector<char>{1, 0, 0}));
  EXPECT_EQ(reach->components(), 3);
  EXPECT_EQ(reach->components_without_label(), 2);
  EXPECT_EQ(reach->samples_without_label(), 3);
}

TEST(LabelReach, FindsNothingAmissWhereEveryComponentHasALabel) {
  const auto gram = small_graph();
  const auto reach = label_reach(*gram, std::vector<Index>{0, 3, 5});
  EXPECT_EQ(reach->components_without_label(), 0);
  EXPECT_EQ(reach->samples_without_label(), 0);
}

TEST(LabelReach, SaysNothingWhereTheGramDoesNotKnowItsComponents) {
  const GraphGram adjacency(csr_from_triplets(2, 2, {{0, 1, 1}, {1, 0, 1}}),
                            {.normalization = GraphNormalization::adjacency});
  EXPECT_FALSE(label_reach(adjacency, std::vector<Index>{0}).has_value());
  EXPECT_FALSE(label_reach(CenteredGram(small_graph()), std::vector<Index>{0}).has_value());
  EXPECT_FALSE(label_reach(NormalizedGram(small_graph()), std::vector<Index>{0}).has_value());
}

}  // namespace
}  // namespace stkr::label_reach_test
