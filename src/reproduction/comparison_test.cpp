#include "stkr/reproduction/comparison.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "stkr/error.hpp"

namespace stkr {
namespace {

TEST(Comparison, HasTheMeanAndTheSpreadOverSeeds) {
  const Comparison result = compare(std::array{80.0, 90.0}, std::nullopt);
  EXPECT_DOUBLE_EQ(result.mean, 85.0);
  EXPECT_DOUBLE_EQ(result.std, 5.0);
  EXPECT_EQ(result.seeds, 2);
  EXPECT_FALSE(result.within());
  EXPECT_FALSE(result.above());
  EXPECT_FALSE(result.below());
}

// Both means have a standard error: √(5²/2) and √(σ²/10).
TEST(Comparison, AllowsTwiceTheStandardErrorOfTheDifference) {
  const PaperValue paper{85.0 + 2.0 * std::sqrt(12.5 + 4.0), std::sqrt(40.0)};
  const Comparison edge = compare(std::array{80.0, 90.0}, paper);
  EXPECT_NEAR(*edge.margin, 2.0 * std::sqrt(16.5), 1e-12);
  EXPECT_EQ(compare(std::array{80.01, 90.01}, paper).within(), true);
  EXPECT_EQ(compare(std::array{79.99, 89.99}, paper).within(), false);
  EXPECT_TRUE(compare(std::array{79.99, 89.99}, paper).below());
  EXPECT_TRUE(compare(std::array{99.0, 99.0}, PaperValue{50.0, 1.0}).above());
}

TEST(Comparison, TrustsThePapersSpreadForOneSeed) {
  const Comparison one = compare(std::array{80.0}, PaperValue{81.0, 5.0});
  EXPECT_EQ(one.std, 0.0);
  EXPECT_EQ(one.within(), true);
}

TEST(Comparison, RefusesNothing) { EXPECT_THROW(compare({}, std::nullopt), ValueError); }

}  // namespace
}  // namespace stkr
