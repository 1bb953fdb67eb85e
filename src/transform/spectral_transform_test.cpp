#include "stkr/transform/spectral_transform.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stkr/error.hpp"

namespace stkr::spectral_transform_test {
namespace {

constexpr SpectrumBounds kUnit{0.0, 1.0};

bool fails(const TransformValidity& validity, const std::string& condition) {
  for (const ConditionCheck& check : validity.conditions) {
    if (check.condition.find(condition) != std::string::npos && !check.holds) return true;
  }
  return false;
}

TEST(SpectralTransform, HasTheValuesOfItsFormula) {
  const double x = 0.7;
  EXPECT_DOUBLE_EQ(SpectralTransform::power(8)(x), std::pow(x, 8));
  EXPECT_DOUBLE_EQ(SpectralTransform::power(2.5)(x), std::pow(x, 2.5));
  EXPECT_DOUBLE_EQ(SpectralTransform::polynomial({1, 0, 3})(x), x + 3 * x * x * x);
  EXPECT_DOUBLE_EQ(SpectralTransform::inverse_laplacian(0.9)(x), x / (1 - 0.9 * x));
  EXPECT_DOUBLE_EQ(SpectralTransform::reciprocal({2, -1, 0.5}, 2)(x),
                   x * x / (2 - x + 0.5 * x * x));
  EXPECT_DOUBLE_EQ(SpectralTransform::diffusion(3)(x), std::expm1(3 * x));
  EXPECT_DOUBLE_EQ(SpectralTransform::callable("sinh", [](double v) { return std::sinh(v); })(x),
                   std::sinh(x));
}

TEST(SpectralTransform, KnowsItsPolynomialAndReciprocalForms) {
  EXPECT_EQ(SpectralTransform::power(3).polynomial_coefficients(), (std::vector<double>{0, 0, 1}));
  EXPECT_FALSE(SpectralTransform::power(2.5).polynomial_coefficients());
  const auto inverse = SpectralTransform::inverse_laplacian(0.9).reciprocal_form();
  ASSERT_TRUE(inverse);
  EXPECT_EQ(inverse->coefficients, (std::vector<double>{1, -0.9}));
  EXPECT_EQ(inverse->r, 1);
  EXPECT_FALSE(SpectralTransform::diffusion(1).reciprocal_form());
}

TEST(SpectralTransform, ASmoothStepRisesAtItsPosition) {
  const auto step = SpectralTransform::smooth_step(0.6, 8);
  EXPECT_EQ(step(0.0), 0.0);
  EXPECT_DOUBLE_EQ(step(0.6), 0.5);
  EXPECT_DOUBLE_EQ(step(0.3), std::pow(0.3, 8) / (std::pow(0.3, 8) + std::pow(0.6, 8)));
  EXPECT_DOUBLE_EQ(step(-0.3), step(0.3));
  EXPECT_EQ(step(1e-200), 0.0);
  EXPECT_DOUBLE_EQ(step(1e200), 1.0);
  EXPECT_TRUE(step.validate(kUnit).valid()) << step.validate(kUnit).failures();
  EXPECT_FALSE(fails(step.validate({-1.0, 1.0}), "s >= 0"));
  // M = max λ³/(λ⁴ + c⁴), at λ⁴ = 3c⁴
  EXPECT_NEAR(SpectralTransform::smooth_step(0.5, 4).validate(kUnit).slope,
              std::pow(3.0, 0.75) / (4.0 * 0.5), 1e-6);
  EXPECT_EQ(step.describe(), "smooth-step c=0.6 p=8");
  EXPECT_THROW(SpectralTransform::smooth_step(0.0), ValueError);
  EXPECT_THROW(SpectralTransform::smooth_step(0.5, 3), ValueError);
  EXPECT_THROW(SpectralTransform::smooth_step(0.5, 0), ValueError);
}

TEST(SpectralTransform, ASumIsTheSumOfItsTerms) {
  const auto laplacian = SpectralTransform::inverse_laplacian(0.9);
  const auto sum =
      SpectralTransform::sum({{0.25, laplacian}, {2.0, SpectralTransform::diffusion(3)}});
  EXPECT_DOUBLE_EQ(sum(0.7), 0.25 * laplacian(0.7) + 2.0 * std::expm1(2.1));
  EXPECT_EQ(sum.name(), "sum");
  EXPECT_EQ(sum.describe(), "0.25*inverse-laplacian(0.9) + 2*diffusion(3)");
  EXPECT_FALSE(sum.polynomial_coefficients());
  EXPECT_FALSE(sum.reciprocal_form());
  // Theorem 1 is closed under such sums, and M adds up if all terms are largest at λ₁.
  const TransformValidity validity = sum.validate(kUnit);
  EXPECT_TRUE(validity.valid()) << validity.failures();
  EXPECT_NEAR(validity.slope, 0.25 * 10.0 + 2.0 * std::expm1(3.0), 1e-9);
  EXPECT_TRUE(fails(sum.validate({0.0, 2.0}), "continuous"));  // η = 0.9 above 1/λ₁
}

TEST(SpectralTransform, ASumKnowsItsPolynomialAndReciprocalForms) {
  const auto powers = SpectralTransform::sum(
      {{0.5, SpectralTransform::power(3)}, {2.0, SpectralTransform::polynomial({1.0, 4.0})}});
  EXPECT_EQ(powers.polynomial_coefficients(), (std::vector<double>{2.0, 8.0, 0.5}));
  const auto scaled = SpectralTransform::sum({{4.0, SpectralTransform::inverse_laplacian(0.8)}});
  ASSERT_TRUE(scaled.reciprocal_form());
  EXPECT_EQ(scaled.reciprocal_form()->coefficients, (std::vector<double>{0.25, -0.2}));
  // Sums of sums are sums, and one term of weight 1 is that term.
  const auto nested = SpectralTransform::sum({{0.5, powers}, {1.0, scaled}});
  EXPECT_EQ(terms_of(nested).size(), 3u);
  EXPECT_EQ(terms_of(nested)[1].weight, 1.0);
  EXPECT_EQ(SpectralTransform::sum({{1.0, SpectralTransform::power(2)}}).name(), "power");
  EXPECT_EQ(terms_of(SpectralTransform::power(2)).size(), 1u);
  EXPECT_THROW(SpectralTransform::sum({}), ValueError);
  EXPECT_THROW(SpectralTransform::sum({{0.0, powers}}), ValueError);
  EXPECT_THROW(SpectralTransform::sum({{-1.0, powers}}), ValueError);
  EXPECT_THROW(SpectralTransform::sum({{1.0, SpectralTransform::truncation(2)}}), ValueError);
}

TEST(SpectralTransform, RejectsParametersOutsideTheirDomain) {
  EXPECT_THROW(SpectralTransform::power(0.5), ValueError);
  EXPECT_THROW(SpectralTransform::power(std::nan("")), ValueError);
  EXPECT_THROW(SpectralTransform::polynomial({}), ValueError);
  EXPECT_THROW(SpectralTransform::polynomial({0, 0}), ValueError);
  EXPECT_THROW(SpectralTransform::inverse_laplacian(0.0), ValueError);
  EXPECT_THROW(SpectralTransform::inverse_laplacian(std::nan("")), ValueError);
  EXPECT_THROW(SpectralTransform::reciprocal({0.0, 1.0}, 1), ValueError);
  EXPECT_THROW(SpectralTransform::reciprocal({1.0}, 0), ValueError);
  EXPECT_THROW(SpectralTransform::diffusion(-1), ValueError);
  EXPECT_THROW(SpectralTransform::truncation(0), ValueError);
  EXPECT_THROW(SpectralTransform::callable("cos", [](double x) { return std::cos(x); }),
               ValueError);
}

}  // namespace
}  // namespace stkr::spectral_transform_test
