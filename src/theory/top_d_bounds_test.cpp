#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stkr/error.hpp"
#include "stkr/theory/bounds.hpp"

namespace stkr::top_d_bounds_test {
namespace {

using testing::HasSubstr;

constexpr TheoryFacts kKnown{true, true, true, true, true};

TEST(TopDLowerBound, IsTheExpressionOfProposition4) {
  const Bound bound =
      top_d_lower_bound({.s_first = 1.0, .s_next = 0.2, .epsilon = 2.0, .scale_b = 3.0});
  EXPECT_NEAR(bound.value, 0.25 * 1.0 * 9.0, 1e-12);
  EXPECT_TRUE(bound.lower);
  EXPECT_EQ(bound.applies(), true);
  EXPECT_FALSE(bound.vacuous());
  EXPECT_EQ(bound.probability, 1.0);
}

TEST(TopDLowerBound, ChecksItsTwoConditions) {
  const Bound small = top_d_lower_bound({.s_first = 1.0, .s_next = 0.2, .epsilon = 0.9});
  EXPECT_EQ(small.applies(), false);
  EXPECT_TRUE(small.vacuous());
  EXPECT_THAT(small.verdict(), HasSubstr("s(λ₁) ε > 1: s(λ₁) ε = 0.9"));
  const Bound large = top_d_lower_bound({.s_first = 1.0, .s_next = 0.8, .epsilon = 2.0});
  EXPECT_EQ(large.applies(), false);
  EXPECT_THAT(large.verdict(), HasSubstr("it is 4"));
  EXPECT_EQ(top_d_lower_bound({.s_first = 1.0, .s_next = 1.0, .epsilon = 2.0}).applies(), false);
  EXPECT_THROW(top_d_lower_bound({.s_first = 1.0, .s_next = 2.0}), ParameterError);
}

TEST(TopDEstimationBound, IsTheExpressionOfTheorem5) {
  TopDEstimationInputs inputs;
  inputs.estimation = {.n = 16,
                       .p = 1.0,
                       .tau = 2.0,
                       .kappa_squared = 3.0,
                       .slope = 0.5,
                       .epsilon = 2.0,
                       .scale_b = 1.5,
                       .sigma = 0.5,
                       .moment_l = 1.0,
                       .facts = kKnown};
  inputs.lambda_d = 0.4;
  inputs.gap_p = 0.1;
  inputs.gap_kernel = 2.0;
  const Bound bound = top_d_estimation_bound(inputs);
  const double energy = 0.5 * 2.0 * 2.25;  // MεB²
  const double first = 3.0 * (0.1 + 0.1 * 2.0);
  const double second =
      4.0 * ((3.0 * energy + 3.0 * 0.25) / 4.0 + 3.0 * std::max(1.0, 3.0 * energy) / 64.0);
  EXPECT_NEAR(bound.value, first + second, 1e-12);
  EXPECT_NEAR(bound.probability, 1.0 - 4.0 * std::exp(-2.0) - 0.1, 1e-15);
  EXPECT_EQ(bound.applies(), false);
  const double factor = 2.0 + std::sqrt(2.0 * std::log(20.0));
  const double needed = 16.0 * 9.0 / 0.16 * factor * factor;
  EXPECT_NEAR(top_d_needed_labels(3.0, 0.4, 0.1), needed, 1e-9 * needed);
  EXPECT_THAT(bound.verdict(), HasSubstr("n = 16, needed 1.78e+04"));
  inputs.estimation.n = static_cast<Index>(needed) + 1;
  EXPECT_EQ(top_d_estimation_bound(inputs).applies(), std::nullopt);
}

TEST(TopDApproximationBounds, AreBothInequalitiesOfTheorem6) {
  TopDApproximationInputs inputs{.d = 4,
                                 .m = 10000,
                                 .kappa_squared = 2.0,
                                 .lambda_1 = 0.8,
                                 .lambda_next = 0.1,
                                 .slope = 1.5,
                                 .epsilon = 2.0,
                                 .scale_b = 1.0,
                                 .delta = 0.1,
                                 .facts = kKnown};
  const double above = 0.1 + 0.02 * (4.0 + 3.0 * std::sqrt(std::log(60.0)));
  TopDApproximation bounds = top_d_approximation_bounds(inputs);
  EXPECT_NEAR(bounds.g_upper.value, above, 1e-12);
  EXPECT_EQ(bounds.g_lower.value, 0.1);
  EXPECT_TRUE(bounds.g_lower.lower);
  EXPECT_NEAR(bounds.kernel.value, (3.0 * 0.8 - 0.5) / (0.8 - above), 1e-12);
  EXPECT_NEAR(bounds.kernel.probability, 0.9, 1e-12);
  inputs.g_squared = 0.2;
  bounds = top_d_approximation_bounds(inputs);
  EXPECT_NEAR(bounds.kernel.value, (3.0 * 0.8 - 0.5) / 0.6, 1e-12);
  EXPECT_EQ(bounds.kernel.probability, 1.0);
  inputs.g_squared = std::nullopt;
  inputs.m = 4;
  bounds = top_d_approximation_bounds(inputs);
  EXPECT_TRUE(bounds.g_upper.vacuous());
  EXPECT_EQ(bounds.kernel.applies(), false);
  EXPECT_TRUE(std::isinf(bounds.kernel.value));
  inputs.lambda_next = 0.9;
  EXPECT_THROW(top_d_approximation_bounds(inputs), ParameterError);
}

}  // namespace
}  // namespace stkr::top_d_bounds_test
