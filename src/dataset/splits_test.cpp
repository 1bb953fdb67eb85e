#include "stkr/dataset/splits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "stkr/dataset/generators.hpp"
#include "stkr/error.hpp"

namespace stkr::splits_test {
namespace {

using ::testing::ElementsAre;

TEST(Splits, TakeAsManySamplesOfEachClass) {
  const auto labels = class_labels(std::vector<std::int64_t>{0, 1, 0, 1, 0, 2, 2, 1, 0});
  const auto chosen = labeled_per_class(labels, 2, 11);
  ASSERT_EQ(chosen.size(), 6u);
  std::array<int, 3> counts{};
  for (const Index i : chosen)
    ++counts[static_cast<std::size_t>(labels.code[static_cast<std::size_t>(i)])];
  EXPECT_THAT(counts, ElementsAre(2, 2, 2));
  EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
  EXPECT_EQ(chosen, labeled_per_class(labels, 2, 11));
  EXPECT_THROW(labeled_per_class(labels, 3, 11), ValueError);
  EXPECT_THROW(labeled_per_class(labels, 0, 11), ValueError);
}

TEST(Splits, SetSamplesAsideWithoutLosingAny) {
  const Split split = split_off(100, 20, 12);
  EXPECT_EQ(split.held_out.size(), 20u);
  std::vector<Index> all = split.kept;
  all.insert(all.end(), split.held_out.begin(), split.held_out.end());
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(all[i], static_cast<Index>(i));
  EXPECT_EQ(split_off_share(10, 0.25, 1).held_out.size(), 3u);
  EXPECT_EQ(split_off_share(0, 0.5, 1).kept.size(), 0u);
  EXPECT_THROW(split_off(3, 4, 1), ValueError);
  EXPECT_THROW(split_off_share(3, -0.1, 1), ValueError);
}

// A path 0 - 1 - 2 - 3 with weights 1, 2, 3.
CsrMatrix line() {
  return csr_from_triplets(
      4, 4, {{0, 1, 1.0}, {1, 0, 1.0}, {1, 2, 2.0}, {2, 1, 2.0}, {2, 3, 3.0}, {3, 2, 3.0}});
}

TEST(Splits, InducedSubgraphsKeepTheEdgesInside) {
  const CsrMatrix sub = induced_subgraph(line(), std::vector<Index>{2, 1, 0});
  EXPECT_NO_THROW(check_csr(sub, "sub"));
  EXPECT_THAT(sub.row_start, ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(sub.column, ElementsAre(1, 0, 2, 1));
  EXPECT_THAT(sub.value, ElementsAre(2.0, 2.0, 1.0, 1.0));
}

TEST(Splits, CrossEdgesLeadFromNewToKnownNodes) {
  const CsrMatrix cross = cross_edges(line(), std::vector<Index>{3, 1}, std::vector<Index>{2, 0});
  EXPECT_EQ(cross.rows, 2);
  EXPECT_EQ(cross.cols, 2);
  EXPECT_THAT(cross.row_start, ElementsAre(0, 1, 3));
  EXPECT_THAT(cross.column, ElementsAre(0, 0, 1));
  EXPECT_THAT(cross.value, ElementsAre(3.0, 2.0, 1.0));
  EXPECT_THROW(cross_edges(line(), std::vector<Index>{4}, std::vector<Index>{0}), ValueError);
  EXPECT_THROW(cross_edges(line(), std::vector<Index>{1}, std::vector<Index>{0, 0}), ValueError);
}

TEST(Splits, SubsetsCarrySamplesAndLabels) {
  const Dataset moons = two_moons(10, 0.1, 1);
  const Dataset some = subset(moons, std::vector<Index>{7, 2});
  EXPECT_EQ(some.size(), 2);
  EXPECT_EQ(some.points().values.matrix().row(0), moons.points().values.matrix().row(7));
  EXPECT_THAT(std::get<ClassLabels>(some.labels).code, ElementsAre(1, 0));
  EXPECT_THROW(subset(moons, std::vector<Index>{10}), ValueError);
  EXPECT_THROW(some.graph(), ValueError);
}

TEST(Splits, SubsetsCarryTheFeaturesOfNodes) {
  const Dataset data = attributed_block_model(std::vector<Index>{5, 4}, 0.8, 0.2, 3, 0.1, 1);
  const Dataset some = subset(data, std::vector<Index>{7, 2});
  ASSERT_TRUE(some.features.has_value());
  ASSERT_EQ(some.features->values.rows(), 2);
  EXPECT_EQ(some.features->values.matrix().row(0), data.features->values.matrix().row(7));
  EXPECT_EQ(some.features->values.matrix().row(1), data.features->values.matrix().row(2));
}

}  // namespace
}  // namespace stkr::splits_test
