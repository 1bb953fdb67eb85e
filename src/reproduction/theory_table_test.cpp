#include "reproduction/theory_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stkr/error.hpp"

namespace stkr::theory_table_test {
namespace {

TEST(LogLogSlope, IsTheExponentOfAPower) {
  std::vector<double> x{1.0, 2.0, 5.0, 40.0}, y;
  for (const double value : x) y.push_back(3.0 * std::pow(value, -0.7));
  EXPECT_NEAR(log_log_slope(x, y), -0.7, 1e-12);
  y[2] = 0.0;
  EXPECT_THROW(log_log_slope(x, y), ValueError);
  EXPECT_THROW(log_log_slope(std::vector<double>{1.0}, std::vector<double>{1.0}), ValueError);
}

TEST(TheoryTable, ComparesSlopesWithinTheTolerance) {
  TheoryTable table;
  for (const double at : {10.0, 100.0}) {
    table.rows.push_back(
        {.series = "a", .at = at, .measured = 1.0 / at, .bound = 9.0 / std::sqrt(at)});
    table.rows.push_back({.series = "b", .at = at, .measured = 7.0});
  }
  const TheorySlope slope = slope_of(table, "a", -0.9, 0.2);
  EXPECT_NEAR(slope.measured, -1.0, 1e-12);
  EXPECT_NEAR(*slope.bound, -0.5, 1e-12);
  EXPECT_TRUE(slope.holds);
  EXPECT_FALSE(slope_of(table, "a", -0.9, 0.05).holds);
  EXPECT_EQ(slope.error, 0.0);
  EXPECT_EQ(slope_of(table, "b", std::nullopt, 0.0).bound, std::nullopt);
  // A relative standard error of 10 % at one end: log(100) - log(10) apart, so 0.1/log(10).
  TheoryTable noisy = table;
  noisy.rows[0].error = 0.1 * noisy.rows[0].measured;
  EXPECT_NEAR(slope_of(noisy, "a", -0.9, 0.05).error, 0.1 / std::log(10.0), 1e-12);
  EXPECT_TRUE(slope_of(noisy, "a", -0.9, 0.05).holds);
  EXPECT_TRUE(table.holds());
  table.slopes.push_back(slope_of(table, "a", -0.9, 0.05));
  EXPECT_FALSE(table.holds());
}

TEST(MeanOf, HasItsStandardError) {
  const TheoryMean mean = mean_of({1.0, 2.0, 3.0});
  EXPECT_NEAR(mean.mean, 2.0, 1e-15);
  EXPECT_NEAR(mean.error, 1.0 / std::sqrt(3.0), 1e-15);
  EXPECT_EQ(mean_of({4.0}).error, 0.0);
}

}  // namespace
}  // namespace stkr::theory_table_test
