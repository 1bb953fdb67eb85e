#include "reproduction/comparison.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "stkr/error.hpp"

namespace stkr::comparison_test {
namespace {

TEST(Comparison, HasTheMeanAndTheSpreadOverSeeds) {
  const Comparison result = compare(std::array{80.0, 90.0, 91.0}, std::nullopt);
  EXPECT_DOUBLE_EQ(result.mean, 87.0);
  EXPECT_DOUBLE_EQ(*result.std, std::sqrt((49.0 + 9.0 + 16.0) / 2.0));
  EXPECT_EQ(result.seeds, 3);
  EXPECT_FALSE(result.difference);
  EXPECT_FALSE(result.interval);
  EXPECT_FALSE(result.above());
  EXPECT_FALSE(result.below());
}

// t with 12.03 degrees of freedom is 2.1782.
TEST(Comparison, GivesTheDifferenceItsWelchInterval) {
  std::array<double, 5> accuracies{};
  // Mean 3, sample standard deviation 2.5.
  const double step = 2.5 / std::sqrt(2.5);
  for (int k = 0; k < 5; ++k) accuracies[k] = 3.0 + step * (k - 2);
  const Comparison result = compare(accuracies, PaperValue{1.0, 4.0});
  EXPECT_NEAR(*result.std, 2.5, 1e-12);
  EXPECT_NEAR(*result.difference, 2.0, 1e-12);
  const double ours = 6.25 / 5.0, papers = 16.0 / 10.0, error = std::sqrt(ours + papers);
  const double freedom = std::pow(ours + papers, 2) / (ours * ours / 4.0 + papers * papers / 9.0);
  EXPECT_NEAR(freedom, 12.03, 0.01);
  EXPECT_NEAR(result.interval->high - 2.0, 2.1782 * error, 1e-3);
  EXPECT_NEAR(2.0 - result.interval->low, 2.1782 * error, 1e-3);
}

TEST(Comparison, IsAboveOrBelowWhereTheIntervalLeavesZeroOut) {
  const PaperValue paper{50.0, 1.0};
  const Comparison above = compare(std::array{59.0, 60.0, 61.0}, paper);
  EXPECT_TRUE(above.above());
  EXPECT_FALSE(above.below());
  const Comparison below = compare(std::array{39.0, 40.0, 41.0}, paper);
  EXPECT_TRUE(below.below());
  const Comparison neither = compare(std::array{40.0, 50.0, 61.0}, paper);
  EXPECT_FALSE(neither.above() || neither.below());
  EXPECT_LT(neither.interval->low, 0.0);
  EXPECT_GT(neither.interval->high, 0.0);
}

TEST(Comparison, HasNoIntervalForTwoSeeds) {
  const Comparison two = compare(std::array{83.0, 83.0}, PaperValue{81.0, 1.0});
  EXPECT_DOUBLE_EQ(*two.std, 0.0);
  EXPECT_DOUBLE_EQ(*two.difference, 2.0);
  EXPECT_FALSE(two.interval);
  EXPECT_FALSE(two.above() || two.below());
}

TEST(Comparison, HasNoIntervalForOneSeed) {
  const Comparison one = compare(std::array{80.0}, PaperValue{81.0, 5.0});
  EXPECT_FALSE(one.std);
  EXPECT_DOUBLE_EQ(*one.difference, -1.0);
  EXPECT_FALSE(one.interval);
  EXPECT_FALSE(one.above() || one.below());
}

// All seeds are equal: only the paper's variance remains.
TEST(Comparison, CountsAMeanThatDoesNotVaryAsExact) {
  const Comparison same = compare(std::array{46.0, 46.0, 46.0}, PaperValue{46.0, 3.0});
  EXPECT_NEAR(same.interval->high, 2.2622 * 3.0 / std::sqrt(10.0), 1e-3);
}

TEST(Comparison, RefusesNothing) { EXPECT_THROW(compare({}, std::nullopt), ValueError); }

}  // namespace
}  // namespace stkr::comparison_test
