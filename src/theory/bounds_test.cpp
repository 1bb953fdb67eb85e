#include "stkr/theory/bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stkr/error.hpp"

namespace stkr::bounds_test {
namespace {

using testing::HasSubstr;

constexpr TheoryFacts kAll{true, true, true, true, true};

TEST(EstimationBound, IsTheExpressionOfTheorem2) {
  const Bound bound = estimation_bound({.n = 16,
                                        .p = 1.0,
                                        .tau = 2.0,
                                        .kappa_squared = 3.0,
                                        .slope = 0.5,
                                        .epsilon = 2.0,
                                        .scale_b = 1.5,
                                        .sigma = 0.5,
                                        .moment_l = 4.0,
                                        .facts = kAll});
  // τ²κ²M [(εB² + σ²)/4 + max{16, 6.75}/64]
  EXPECT_NEAR(bound.value, 4.0 * 3.0 * 0.5 * ((4.5 + 0.25) / 4.0 + 16.0 / 64.0), 1e-12);
  EXPECT_EQ(bound.label, "thm:est");
  EXPECT_TRUE(bound.constant_unknown);
  EXPECT_NEAR(bound.probability, 1.0 - 4.0 * std::exp(-2.0), 1e-15);
  EXPECT_EQ(bound.applies(), std::nullopt);  // "sufficiently large n" cannot be checked
  EXPECT_TRUE(bound.vacuous());
  EXPECT_THAT(bound.verdict(), HasSubstr("vacuous"));
  EXPECT_THAT(bound.verdict(), HasSubstr("up to an unknown constant"));
}

TEST(EstimationBound, SaysWhatFails) {
  EstimationInputs inputs{.n = 100, .p = 0.5, .tau = 0.5, .kappa_squared = 0.25};
  const Bound bound = estimation_bound(inputs);
  EXPECT_EQ(bound.applies(), false);  // τ < 1/κ
  EXPECT_THAT(bound.verdict(), HasSubstr("does not apply: τ >= 1/(κ √M): τ = 0.5, 1/(κ √M) = 2"));
  inputs.kappa_squared = 100.0;
  EXPECT_LT(estimation_bound(inputs).probability, 0.0);
  EXPECT_TRUE(estimation_bound(inputs).vacuous());
  EXPECT_THAT(estimation_bound(inputs).verdict(), HasSubstr("choose a larger τ"));
  inputs.p = 1.5;
  EXPECT_THROW(estimation_bound(inputs), ParameterError);
  inputs.p = 1.0;
  inputs.n = 0;
  EXPECT_THROW(estimation_bound(inputs), ParameterError);
}

TEST(EstimationBound, FallsAtTheRateOfTheTheorem) {
  for (const double p : {0.25, 0.5, 1.0}) {
    EstimationInputs inputs{.n = 1'000'000'000, .p = p};
    const double before = estimation_bound(inputs).value;
    inputs.n *= 100;
    EXPECT_NEAR(std::log(estimation_bound(inputs).value / before) / std::log(100.0),
                -1.0 / (1.0 + p), 1e-3);
  }
}

TEST(ApproximationBound, IsTheExpressionOfTheorem3) {
  const ApproximationInputs inputs{.transform = SpectralTransform::inverse_laplacian(0.5),
                                   .n = 40,
                                   .m = 360,
                                   .kappa_squared = 2.0,
                                   .lambda = 1.0,
                                   .beta = 0.25,
                                   .delta = std::exp(-2.0),
                                   .mean_square_y = 1.5,
                                   .facts = kAll};
  // s = 2, d/dλ s/λ = 2, κ⁴/√400 = 0.2, 2 + √4 = 4: a gap of 1.6
  const Bound bound = approximation_bound(inputs);
  EXPECT_NEAR(bound.value, 8.0 * 2.0 * 1.6 * 16.0 * 1.5, 1e-10);
  EXPECT_NEAR(bound.probability, 1.0 - std::exp(-2.0), 1e-15);
  EXPECT_EQ(bound.applies(), true);
  EXPECT_TRUE(bound.vacuous());
  EXPECT_EQ(bound.trivial, 1.5);
  EXPECT_NEAR(kernel_gap_bound(inputs).value, 1.6, 1e-12);
  EXPECT_NEAR(kernel_gap_bound(inputs).trivial, 8.0, 1e-12);
  EXPECT_FALSE(kernel_gap_bound(inputs).vacuous());
  EXPECT_NEAR(inner_product_gap_bound(inputs).value, 2.0 * 2.0 * 1.6, 1e-12);
  EXPECT_THAT(kernel_gap_bound(inputs).verdict(), HasSubstr("with probability at least 0.86"));
}

TEST(ApproximationBound, IsZeroForTheBaseKernel) {
  const Bound bound =
      approximation_bound({.transform = SpectralTransform::power(1.0), .n = 10, .m = 10});
  EXPECT_EQ(bound.value, 0.0);  // K̂_s = K = K_s
  EXPECT_FALSE(bound.vacuous());
}

TEST(ApproximationBound, IsInfiniteBeyondThePole) {
  const Bound bound = approximation_bound(
      {.transform = SpectralTransform::inverse_laplacian(0.9), .n = 10, .m = 10, .lambda = 1.2});
  EXPECT_EQ(bound.applies(), false);
  EXPECT_TRUE(bound.vacuous());
  EXPECT_THAT(bound.verdict(), HasSubstr("diverges"));
}

TEST(ApproximationBound, TellsWhatCannotBeChecked) {
  const Bound bound = approximation_bound(
      {.transform = SpectralTransform::callable("mine", [](double x) { return x * x; }),
       .n = 10,
       .m = 10});
  EXPECT_EQ(bound.applies(), std::nullopt);
  for (const Assumption& assumption : bound.assumptions) {
    EXPECT_EQ(assumption.holds, std::nullopt) << assumption.name;
    EXPECT_FALSE(assumption.reason.empty());
  }
  EXPECT_THROW(approximation_bound({.n = 10, .m = 10, .beta = 0.0}), ParameterError);
  EXPECT_THROW(approximation_bound({.n = 10, .m = 10, .delta = 1.0}), ParameterError);
  EXPECT_THROW(approximation_bound({.n = 0, .m = 10}), ParameterError);
}

TEST(AgnosticLaplacianBound, ReplacesEpsilonByMEpsilon) {
  const EstimationInputs other{.n = 500, .p = 0.5, .slope = 3.0, .epsilon = 0.7};
  EstimationInputs same = other;
  same.epsilon = 2.1;
  same.slope = 1.25;
  const Bound bound = agnostic_laplacian_bound(other, 1.25);
  EXPECT_DOUBLE_EQ(bound.value, estimation_bound(same).value);
  EXPECT_EQ(bound.label, "prop:agnostic-lap");
}

TEST(LargestEigenvalueBound, IsTheExpressionOfTheLemma) {
  const Bound bound = largest_eigenvalue_bound(0.5, 100, 2.0, 0.1, kAll);
  EXPECT_NEAR(bound.value,
              0.5 + 0.2 * (2.0 * std::sqrt(2.0) + std::sqrt(19.0 * std::log(202.0 / 0.1))), 1e-12);
  EXPECT_EQ(bound.applies(), true);
  EXPECT_TRUE(bound.vacuous());  // 3.47 > κ²
  EXPECT_FALSE(largest_eigenvalue_bound(0.5, 100000, 2.0, 0.1, kAll).vacuous());
}

TEST(Rates, AreThoseOfThePaper) {
  EXPECT_NEAR(theory_beta(64, 0.5, 2.0), 2.0 / 16.0, 1e-12);
  EXPECT_NEAR(needed_unlabeled(100, 1.0), 1e4, 1e-8);
  EXPECT_THROW(theory_beta(0, 0.5), ParameterError);
}

}  // namespace
}  // namespace stkr::bounds_test
