#include "runtime/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stkr/error.hpp"

namespace stkr::random_test {
namespace {

TEST(Random, PortableFunctionsAgreeWithTheStandardLibrary) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double x = 30.0 * (random.uniform() - 0.5);
    EXPECT_NEAR(portable_sine(x), std::sin(x), 4e-16) << x;
    EXPECT_NEAR(portable_cosine(x), std::cos(x), 4e-16) << x;
    const double y = std::ldexp(random.uniform() + 1e-12, i % 2000 - 1000);
    EXPECT_NEAR(portable_log(y), std::log(y), 4e-16 * std::max(1.0, std::abs(std::log(y)))) << y;
  }
  EXPECT_EQ(portable_log(1.0), 0.0);
  EXPECT_EQ(portable_log(0.0), -INFINITY);
}

TEST(Random, GivesTheSameNumbersEverywhere) {
  Random random(7);
  // The exact values fix the sequence: changing them changes every generated data set.
  EXPECT_EQ(random.uniform(), 0x1.823eca63d6cdbp-1);
  EXPECT_EQ(random.normal(), 0x1.be67796b4c28dp-2);
  EXPECT_EQ(random.below(1000), 340);
}

TEST(Random, NormalNumbersHaveTheRightMoments) {
  Random random(3);
  const int count = 200'000;
  double sum = 0.0;
  double squares = 0.0;
  double fourth = 0.0;
  for (int i = 0; i < count; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / count, 0.0, 0.01);
  EXPECT_NEAR(squares / count, 1.0, 0.015);
  EXPECT_NEAR(fourth / count, 3.0, 0.1);
}

TEST(Random, GeometricSkipsHaveTheRightMean) {
  Random random(4);
  const double p = 0.02;
  double sum = 0.0;
  const int count = 100'000;
  for (int i = 0; i < count; ++i) {
    sum += static_cast<double>(random.geometric(log_of_failure(p)));
  }
  EXPECT_NEAR(sum / count, (1.0 - p) / p, 0.7);
  EXPECT_EQ(random.geometric(log_of_failure(1.0)), 0);
  EXPECT_GT(random.geometric(log_of_failure(1e-300)), Index{1} << 60);
  EXPECT_NEAR(log_of_failure(1e-7) / std::log1p(-1e-7), 1.0, 1e-15);
}

TEST(Random, SamplesWithoutRepetitionAndInOrder) {
  Random random(5);
  const auto chosen = random.sample(100, 30);
  EXPECT_EQ(chosen.size(), 30u);
  for (std::size_t i = 1; i < chosen.size(); ++i) EXPECT_LT(chosen[i - 1], chosen[i]);
  EXPECT_GE(chosen.front(), 0);
  EXPECT_LT(chosen.back(), 100);
  EXPECT_EQ(random.sample(3, 3), (std::vector<Index>{0, 1, 2}));
  EXPECT_THROW(random.sample(3, 4), ValueError);
  EXPECT_THROW(random.below(0), ValueError);
}

}  // namespace
}  // namespace stkr::random_test
