#include "stkr/transform/spectral_transform.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stkr/error.hpp"

namespace stkr {
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

TEST(SpectralTransform, SatisfiesTheorem1WhereItShould) {
  for (const SpectralTransform& transform :
       {SpectralTransform::power(1), SpectralTransform::power(8), SpectralTransform::power(1.5),
        SpectralTransform::polynomial({1, 1}), SpectralTransform::inverse_laplacian(0.999),
        SpectralTransform::reciprocal({1, 0, -0.5}, 2), SpectralTransform::diffusion(5)}) {
    const TransformValidity validity = transform.validate(kUnit);
    EXPECT_TRUE(validity.valid()) << transform.describe() << ": " << validity.failures();
  }
  EXPECT_NEAR(SpectralTransform::inverse_laplacian(0.9).validate(kUnit).slope, 10.0, 1e-9);
}

TEST(SpectralTransform, SaysWhichConditionOfTheorem1Fails) {
  EXPECT_TRUE(fails(SpectralTransform::inverse_laplacian(1.0).validate(kUnit), "continuous"));
  EXPECT_TRUE(fails(SpectralTransform::inverse_laplacian(1.5).validate(kUnit), "continuous"));
  EXPECT_TRUE(fails(SpectralTransform::polynomial({1, -2}).validate(kUnit), "non-decreasing"));
  EXPECT_TRUE(fails(SpectralTransform::polynomial({-1}).validate(kUnit), "s >= 0"));
  const auto root = SpectralTransform::callable("root", [](double x) { return std::sqrt(x); });
  EXPECT_TRUE(fails(root.validate(kUnit), "M lambda"));
  const TransformValidity odd = SpectralTransform::power(3).validate({-0.5, 1.0});
  EXPECT_TRUE(fails(odd, "positive semidefinite"));
  EXPECT_TRUE(fails(odd, "s >= 0"));
  const TransformValidity even = SpectralTransform::power(2).validate({-0.5, 1.0});
  EXPECT_FALSE(fails(even, "s >= 0"));
  EXPECT_NE(odd.failures().find("lazy walk"), std::string::npos);
  EXPECT_TRUE(SpectralTransform::truncation(3).validate({-0.5, 1.0}).valid());
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
}  // namespace stkr
