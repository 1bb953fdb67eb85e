#include <gtest/gtest.h>

#include <cmath>

#include "stkr/error.hpp"
#include "stkr/theory/bounds.hpp"

namespace stkr::fischer_steinwart_test {
namespace {

TEST(FischerSteinwart, IsTheFormula) {
  // n = 100, β_n = 0.1, p = ½, α = ¾, β = ½, γ = ¼: (α - β)_+ = ¼.
  const Bound bound = fischer_steinwart_bound({.n = 100,
                                               .beta_n = 0.1,
                                               .p = 0.5,
                                               .alpha = 0.75,
                                               .embedding_c2 = 2.0,
                                               .beta = 0.5,
                                               .source_c3 = 3.0,
                                               .gamma = 0.25,
                                               .largest_target = 1.5,
                                               .kappa_squared = 1.2,
                                               .sigma = 0.4,
                                               .moment_l = 0.6,
                                               .tau = 3.0});
  const double bias = 2.0 * 9.0 * std::pow(0.1, 0.25);
  const double variance = (0.16 * 1.2 + 4.0 * 9.0) / (100.0 * std::pow(0.1, 0.75));
  const double rest = 4.0 * 7.5 * 7.5 / (1e4 * std::pow(0.1, 1.25));
  EXPECT_NEAR(bound.value, bias + 9.0 * (variance + rest), 1e-10);
  EXPECT_TRUE(bound.constant_unknown);
  EXPECT_NEAR(bound.probability, 1.0 - 4.0 * std::exp(-3.0), 1e-12);
  EXPECT_NEAR(bound.trivial, std::pow(1.2, 0.25) * 9.0, 1e-12);
  EXPECT_TRUE(bound.vacuous());
  EXPECT_NE(bound.verdict().find("vacuous"), std::string::npos);
  EXPECT_EQ(bound.inputs.size(), 13u);
  EXPECT_EQ(bound.applies(), std::nullopt);  // not checked, not false
}

// L above B_∞ + c₂c₃ counts instead, and γ = 0 compares with B_∞², too.
TEST(FischerSteinwart, TakesTheLargerOfLAndTheTarget) {
  FischerSteinwartInputs inputs{.n = 10, .largest_target = 0.5, .moment_l = 1.0};
  const double small = fischer_steinwart_bound(inputs).value;
  inputs.moment_l = 1.5;
  EXPECT_EQ(fischer_steinwart_bound(inputs).value, small);
  inputs.moment_l = 2.0;
  EXPECT_NEAR(fischer_steinwart_bound(inputs).value - small, 9.0 * (4.0 - 2.25) / 100.0, 1e-12);
  EXPECT_NEAR(fischer_steinwart_bound(inputs).trivial, 0.25, 1e-12);
}

// The proof of Theorem 2 substitutes K_s, α = β = 1, γ = 0, c₂ = κ√M, c₃ = √ε B and
// B_∞ = κ√(Mε) B: the bracket is at least that of the theorem, and (B_∞ + c₂c₃)² = 4κ²MεB² makes it
// at most four times as large; the bias 2εB²β_n is a part of the constant c₀.
TEST(FischerSteinwart, ImpliesTheorem2) {
  const double kappa_squared = 1.3, slope = 2.0, epsilon = 4.0, b = 0.7;
  for (const Index n : {Index{20}, Index{2000}}) {
    for (const double p : {0.25, 1.0}) {
      const double c2 = std::sqrt(kappa_squared * slope), c3 = std::sqrt(epsilon) * b;
      const double beta_n = theory_beta(n, p);
      const Bound general = fischer_steinwart_bound({.n = n,
                                                     .beta_n = beta_n,
                                                     .p = p,
                                                     .embedding_c2 = c2,
                                                     .source_c3 = c3,
                                                     .largest_target = c2 * c3,
                                                     .kappa_squared = kappa_squared * slope,
                                                     .sigma = 0.3,
                                                     .moment_l = 0.5,
                                                     .tau = 3.0});
      const Bound theorem = estimation_bound({.n = n,
                                              .p = p,
                                              .tau = 3.0,
                                              .kappa_squared = kappa_squared,
                                              .slope = slope,
                                              .epsilon = epsilon,
                                              .scale_b = b,
                                              .sigma = 0.3,
                                              .moment_l = 0.5});
      const double rest = general.value - 2.0 * c3 * c3 * beta_n;
      EXPECT_GE(rest, theorem.value * (1.0 - 1e-12));
      EXPECT_LE(rest, 4.0 * theorem.value);
      EXPECT_EQ(general.quantity, theorem.quantity);
      EXPECT_EQ(general.probability, theorem.probability);
    }
  }
}

TEST(FischerSteinwart, ChecksItsConditions) {
  FischerSteinwartInputs inputs{.n = 10, .p = 0.2, .alpha = 1.0, .beta = 0.5};
  EXPECT_EQ(fischer_steinwart_bound(inputs).applies(), std::optional<bool>(false));  // β + p < α
  inputs.alpha = 0.6;
  EXPECT_EQ(fischer_steinwart_bound(inputs).applies(), std::nullopt);
  inputs.gamma = 0.5;
  EXPECT_NE(fischer_steinwart_bound(inputs).verdict().find("γ < β"), std::string::npos);
  inputs.gamma = 0.0;
  inputs.facts.embedding = false;
  EXPECT_EQ(fischer_steinwart_bound(inputs).applies(), std::optional<bool>(false));
  EXPECT_THROW(fischer_steinwart_bound({}), ParameterError);  // n = 0
  EXPECT_THROW(fischer_steinwart_bound({.n = 10, .p = 1.5}), ParameterError);
  EXPECT_THROW(fischer_steinwart_bound({.n = 10, .alpha = 0.0}), ParameterError);
  EXPECT_THROW(fischer_steinwart_bound({.n = 10, .beta = 2.5}), ParameterError);
  EXPECT_THROW(fischer_steinwart_bound({.n = 10, .gamma = -0.1}), ParameterError);
  EXPECT_THROW(fischer_steinwart_bound({.n = 10, .source_c3 = 0.0}), ParameterError);
  EXPECT_THROW(fischer_steinwart_bound({.n = 10, .sigma = -1.0}), ParameterError);
}

}  // namespace
}  // namespace stkr::fischer_steinwart_test
