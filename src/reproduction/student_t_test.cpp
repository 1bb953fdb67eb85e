#include "reproduction/student_t.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "stkr/error.hpp"

namespace stkr::student_t_test {
namespace {

// One and two degrees of freedom have closed forms: t = tan(πp/2) and p = t/√(2 + t²).
TEST(StudentT, HasTheClosedFormsOfOneAndTwoDegrees) {
  for (const double p : {0.1, 0.5, 0.9, 0.95, 0.999}) {
    const double one = std::tan(0.5 * std::numbers::pi * p);
    EXPECT_NEAR(student_t_quantile(p, 1.0), one, 1e-9 * one);
    const double two = p * std::sqrt(2.0 / (1.0 - p * p));
    EXPECT_NEAR(student_t_quantile(p, 2.0), two, 1e-9 * two);
  }
}

// The 95 % column of the usual tables.
TEST(StudentT, HasTheTabledValues) {
  EXPECT_NEAR(student_t_quantile(0.95, 3.0), 3.1824, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.95, 9.0), 2.2622, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.95, 18.0), 2.1009, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.95, 99.0), 1.9842, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.95, 1e6), 1.95996, 5e-5);
}

// The integral of the density over [-t, t] by Simpson's rule, for degrees not found in tables.
TEST(StudentT, HoldsItsShareOfTheDistribution) {
  for (const double degrees : {0.7, 4.3, 11.9, 60.5}) {
    const double t = student_t_quantile(0.95, degrees);
    const auto density = [&](double x) {
      return std::exp(std::lgamma(0.5 * (degrees + 1.0)) - std::lgamma(0.5 * degrees)) /
             std::sqrt(std::numbers::pi * degrees) *
             std::pow(1.0 + x * x / degrees, -0.5 * (degrees + 1.0));
    };
    constexpr int kSteps = 20000;
    double sum = density(0.0) + density(t);
    for (int k = 1; k < kSteps; ++k) sum += (k % 2 ? 4.0 : 2.0) * density(t * k / kSteps);
    EXPECT_NEAR(2.0 * sum * t / (3.0 * kSteps), 0.95, 1e-7) << degrees;
  }
}

TEST(StudentT, RefusesWhatIsNoDistribution) {
  EXPECT_THROW(student_t_quantile(0.95, 0.0), ValueError);
  EXPECT_THROW(student_t_quantile(1.0, 9.0), ValueError);
  EXPECT_THROW(student_t_quantile(0.95, NAN), ValueError);
}

}  // namespace
}  // namespace stkr::student_t_test
