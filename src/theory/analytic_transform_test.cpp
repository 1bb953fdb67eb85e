#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stkr/error.hpp"
#include "stkr/theory/bounds.hpp"

namespace stkr::analytic_transform_test {
namespace {

// s(λ)/λ differentiated by a five-point formula in long double from the callable s.
double by_differences(const SpectralTransform& s, double lambda) {
  const double h = 1e-3 * lambda;
  const auto q = [&](double x) { return s(x) / x; };
  return (q(lambda - 2 * h) - 8 * q(lambda - h) + 8 * q(lambda + h) - q(lambda + 2 * h)) / (12 * h);
}

TEST(QuotientDerivative, AgreesWithDifferencesForEveryForm) {
  const std::vector<SpectralTransform> transforms{
      SpectralTransform::power(1.0),
      SpectralTransform::power(2.0),
      SpectralTransform::power(3.5),
      SpectralTransform::polynomial({1.0, 0.0, 2.0, 0.5}),
      SpectralTransform::inverse_laplacian(0.9),
      SpectralTransform::reciprocal({1.0, -0.3, -0.2}, 2),
      SpectralTransform::diffusion(0.05),
      SpectralTransform::diffusion(3.0),
      SpectralTransform::smooth_step(0.4, 4),
      SpectralTransform::callable("square", [](double x) { return x * x + x * x * x; }),
      SpectralTransform::sum({{0.3, SpectralTransform::power(4.0)},
                              {0.7, SpectralTransform::inverse_laplacian(0.5)}})};
  for (const SpectralTransform& s : transforms) {
    for (const double lambda : {0.1, 0.7, 0.95}) {
      const double expected = by_differences(s, lambda);
      EXPECT_NEAR(quotient_derivative(s, lambda), expected, 1e-8 * (1.0 + std::abs(expected)))
          << s.describe() << " at " << lambda;
    }
  }
}

TEST(QuotientDerivative, HasItsClosedFormsAtTheLimits) {
  EXPECT_EQ(quotient_derivative(SpectralTransform::power(2.0), 0.3), 1.0);
  EXPECT_EQ(quotient_derivative(SpectralTransform::power(1.0), 0.3), 0.0);
  EXPECT_DOUBLE_EQ(quotient_derivative(SpectralTransform::inverse_laplacian(0.5), 1.0), 2.0);
  // Beyond the pole, and t²/2 near λ = 0.
  EXPECT_TRUE(std::isinf(quotient_derivative(SpectralTransform::inverse_laplacian(0.5), 2.0)));
  EXPECT_TRUE(std::isinf(quotient_derivative(SpectralTransform::reciprocal({1.0, -1.0}, 1), 1.5)));
  EXPECT_NEAR(quotient_derivative(SpectralTransform::diffusion(2.0), 1e-9), 2.0, 1e-8);
  EXPECT_NEAR(quotient_derivative(SpectralTransform::diffusion(1.0), 0.0999999),
              quotient_derivative(SpectralTransform::diffusion(1.0), 0.1000001), 1e-6);
}

TEST(QuotientDerivative, RefusesWhatIsNotAFunction) {
  EXPECT_THROW(quotient_derivative(SpectralTransform::truncation(3), 1.0), ValueError);
  EXPECT_THROW(quotient_derivative(SpectralTransform::poisson(), 1.0), ValueError);
  EXPECT_THROW(quotient_derivative(SpectralTransform::power(2.0), 0.0), ValueError);
}

TEST(HasPowerSeries, IsDecidedByTheForm) {
  const auto holds = [](const SpectralTransform& s, double lambda = 1.0) {
    return has_power_series(s, lambda).holds;
  };
  EXPECT_EQ(holds(SpectralTransform::power(3.0)), true);
  EXPECT_EQ(holds(SpectralTransform::power(2.5)), false);
  EXPECT_EQ(holds(SpectralTransform::polynomial({0.0, 1.0, 2.0})), true);
  EXPECT_EQ(holds(SpectralTransform::polynomial({2.0, -0.5})), false);
  EXPECT_EQ(holds(SpectralTransform::inverse_laplacian(0.9)), true);
  EXPECT_EQ(holds(SpectralTransform::inverse_laplacian(0.9), 1.2), false);
  EXPECT_EQ(holds(SpectralTransform::diffusion(2.0)), true);
  EXPECT_EQ(holds(SpectralTransform::reciprocal({1.0, -0.5}, 1)), true);
  EXPECT_EQ(holds(SpectralTransform::reciprocal({1.0, 0.5}, 1)), false);
  EXPECT_EQ(holds(SpectralTransform::reciprocal({1.0, -1.5, 0.5, -0.4}, 1), 0.5), std::nullopt);
  EXPECT_EQ(holds(SpectralTransform::truncation(4)), false);
  EXPECT_EQ(holds(SpectralTransform::poisson()), false);
  EXPECT_EQ(holds(SpectralTransform::smooth_step(0.5)), false);
  EXPECT_EQ(holds(SpectralTransform::callable("mine", [](double x) { return x; })), std::nullopt);
  EXPECT_EQ(holds(SpectralTransform::sum(
                {{1.0, SpectralTransform::diffusion(1.0)}, {2.0, SpectralTransform::power(2.0)}})),
            true);
  EXPECT_EQ(holds(SpectralTransform::sum({{1.0, SpectralTransform::diffusion(1.0)},
                                          {2.0, SpectralTransform::smooth_step(0.5)}})),
            std::nullopt);
}

}  // namespace
}  // namespace stkr::analytic_transform_test
