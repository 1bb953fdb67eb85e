#include <gtest/gtest.h>

#include <cmath>

#include "stkr/error.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr::transform_validity_test {
namespace {

constexpr SpectrumBounds kUnit{0.0, 1.0};

bool fails(const TransformValidity& validity, const std::string& condition) {
  for (const ConditionCheck& check : validity.conditions) {
    if (check.condition.find(condition) != std::string::npos && !check.holds) return true;
  }
  return false;
}

TEST(TransformValidity, SatisfiesTheorem1WhereItShould) {
  for (const SpectralTransform& transform :
       {SpectralTransform::power(1), SpectralTransform::power(8), SpectralTransform::power(1.5),
        SpectralTransform::polynomial({1, 1}), SpectralTransform::inverse_laplacian(0.999),
        SpectralTransform::reciprocal({1, 0, -0.5}, 2), SpectralTransform::diffusion(5)}) {
    const TransformValidity validity = transform.validate(kUnit);
    EXPECT_TRUE(validity.valid()) << transform.describe() << ": " << validity.failures();
  }
  EXPECT_NEAR(SpectralTransform::inverse_laplacian(0.9).validate(kUnit).slope, 10.0, 1e-9);
}

TEST(TransformValidity, SaysWhichConditionOfTheorem1Fails) {
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

TEST(TransformValidity, FindsJumps) {
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

TEST(TransformValidity, FindsSlopesThatAreUnboundedAtZero) {
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

TEST(TransformValidity, TakesWhatIsSteepOrKinked) {
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

}  // namespace
}  // namespace stkr::transform_validity_test
