#include "reproduction/seed_warnings.hpp"

#include <gtest/gtest.h>

namespace stkr::seed_warnings_test {
namespace {

using Texts = std::vector<std::string>;

TEST(SeedWarnings, MergesTheSameTextOfSeveralSeeds) {
  SeedWarnings warnings;
  warnings.add("cora", "no class 3", 1);
  EXPECT_EQ(warnings.texts(3), Texts{"cora: no class 3 (seed 1)"});
  warnings.add("cora", "no class 3", 2);
  EXPECT_EQ(warnings.texts(3), Texts{"cora: no class 3 (seeds 1, 2)"});
  warnings.add("cora", "no class 3", 0);
  EXPECT_EQ(warnings.texts(3), Texts{"cora: no class 3 (every seed)"});
}

TEST(SeedWarnings, IgnoresDifferencesInNumbersButMentionsThem) {
  SeedWarnings warnings;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    warnings.add("dblp", std::to_string(100 + seed) + " nodes", seed);
  }
  EXPECT_EQ(warnings.texts(20), Texts{"dblp: 100 nodes (12 of 20 seeds; the numbers vary)"});
}

TEST(SeedWarnings, KeepsDifferentTextsAndDataSetsApart) {
  SeedWarnings warnings;
  warnings.add("dblp", "a", 0);
  warnings.add("dblp", "b", 0);
  warnings.add("cora", "a", 0);
  EXPECT_EQ(warnings.texts(2).size(), 3u);
}

}  // namespace
}  // namespace stkr::seed_warnings_test
