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

// A user-defined s on [0, 1].
TransformValidity of_own(double (*s)(double), const SpectrumBounds& spectrum = kUnit) {
  return SpectralTransform::callable("own", s).validate(spectrum);
}

TEST(SpectralTransform, FindsJumps) {
  EXPECT_TRUE(fails(of_own([](double x) { return x < 0.5 ? x : x + 1.0; }), "continuous"));
  EXPECT_TRUE(fails(of_own([](double x) { return x <= 0.3 ? x : x + 1e-4; }), "continuous"));
  const auto half_way = [](double x) { return x < 0.5 ? x : x > 0.5 ? x + 1.0 : 1.0; };
  EXPECT_TRUE(fails(of_own(half_way), "continuous"));
  EXPECT_TRUE(fails(of_own([](double x) { return x > 0.0 ? x + 0.1 : 0.0; }), "continuous"));
  EXPECT_TRUE(fails(of_own([](double x) { return x < 1.0 ? x : 2.0; }), "continuous"));
  EXPECT_TRUE(fails(of_own([](double x) { return std::floor(7.0 * x); }), "continuous"));
  EXPECT_TRUE(fails(of_own([](double x) { return x > 1e-6 ? std::sqrt(x) : 0.0; }), "continuous"));
  // Small compared with the rest of s, and below 0.
  const auto steep = [](double x) { return std::expm1(9.0 * x) + (x < 0.1 ? 0.0 : 0.5); };
  EXPECT_TRUE(fails(of_own(steep), "continuous"));
  const auto below = [](double x) { return x < -0.25 ? 0.5 : x * x; };
  EXPECT_TRUE(fails(of_own(below, {-1.0, 1.0}), "continuous"));
  EXPECT_FALSE(fails(of_own(below), "continuous"));
  const std::string where = of_own([](double x) { return x < 0.5 ? x : x + 1.0; }).failures();
  EXPECT_NE(where.find("s jumps from 0.5 to 1.5 at lambda = 0.5"), std::string::npos) << where;
}

TEST(SpectralTransform, FindsSlopesThatAreUnboundedAtZero) {
  for (double (*s)(double) :
       {+[](double x) { return std::sqrt(x); }, +[](double x) { return std::pow(x, 0.99); },
        +[](double x) { return x > 0.0 ? x * std::log1p(1.0 / x) : 0.0; },
        +[](double x) { return x > 0.0 ? -x * std::log(x / 9.0) : 0.0; },
        +[](double x) { return std::sqrt(x) + x / (1.0 - 0.999 * x); }}) {
    for (const double upper : {1e-4, 0.1, 1.0}) {
      const TransformValidity validity = of_own(s, {0.0, upper});
      EXPECT_TRUE(fails(validity, "M lambda")) << s(1.0) << " " << upper;
      EXPECT_FALSE(fails(validity, "continuous")) << s(1.0) << " " << validity.failures();
    }
  }
}

TEST(SpectralTransform, TakesWhatIsSteepOrKinked) {
  for (double (*s)(double) :
       {+[](double x) { return 1e6 * x / (1.0 + 1e6 * x); },
        +[](double x) { return 1.0 - 1.0 / (1.0 + 1e9 * x); },
        +[](double x) { return std::tanh(1e12 * x); },
        +[](double x) { return 1.0 + std::tanh(1e9 * (x - 0.5)); },
        +[](double x) { return std::exp(x) - 1.0; },
        +[](double x) { return std::exp(50.0 * x) - 1.0; },
        +[](double x) { return std::exp(1e-6 * x) - 1.0; },
        +[](double x) { return x / (1.0 - 0.99 * x); },
        +[](double x) { return std::max(0.0, x - 0.03); },
        +[](double x) { return std::max(0.0, 1e5 * (x - 0.99)); },
        +[](double x) { return std::min(x, 1e-7); },
        +[](double x) { return x > 0.0 ? std::exp(-1.0 / x) : 0.0; },
        +[](double x) { return std::pow(x, 1000.0); },
        +[](double x) { return double(std::expm1(float(3.0 * x))); },
        +[](double x) { return double(float(x) * float(x)); },
        +[](double x) { return x * std::pow(1.0 - x, 0.5) + x; }, +[](double) { return 0.0; }}) {
    for (const double upper : {1e-4, 0.5, 1.0}) {
      const TransformValidity validity = of_own(s, {0.0, upper});
      EXPECT_FALSE(fails(validity, "continuous")) << s(1.0) << " " << validity.failures();
      EXPECT_FALSE(fails(validity, "M lambda")) << s(1.0) << " " << validity.failures();
    }
  }
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
}  // namespace stkr
