#include "kernel/fast_exp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stkr::fast_exp_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double exp_of(double x) {
  constexpr int lanes = simd::lanes<double>;
  return fast_exp<lanes>(simd::Vec<double, lanes>{} + x)[lanes - 1];
}
float exp_of(float x) {
  constexpr int lanes = simd::lanes<float>;
  return fast_exp<lanes>(simd::Vec<float, lanes>{} + x)[lanes - 1];
}

// |computed - exact| in units of the spacing of Scalar at the exact value.
template <class Scalar>
double ulps(Scalar computed, long double exact) {
  const auto rounded = static_cast<Scalar>(exact);
  const Scalar next = std::nextafter(rounded, std::numeric_limits<Scalar>::infinity());
  return static_cast<double>(std::abs(static_cast<long double>(computed) - exact) /
                             (static_cast<long double>(next) - static_cast<long double>(rounded)));
}

TEST(FastExp, IsWithinTwoUlpsForDouble) {
  double worst = 0.0;
  for (double x = -745.9; x < 709.7; x += 0.00173) {
    worst = std::max(worst, ulps(exp_of(x), std::exp(static_cast<long double>(x))));
  }
  for (double x = 1e-300; x < 1.0; x *= 1.7) {
    worst = std::max(worst, ulps(exp_of(-x), std::exp(static_cast<long double>(-x))));
  }
  EXPECT_LE(worst, 2.0);
}

TEST(FastExp, IsWithinTwoUlpsForFloat) {
  double worst = 0.0;
  for (float x = -104.5f; x < 88.7f; x += 0.000173f) {
    worst = std::max(worst, ulps(exp_of(x), std::exp(static_cast<long double>(x))));
  }
  EXPECT_LE(worst, 2.0);
}

TEST(FastExp, KnowsTheEndsOfItsRange) {
  EXPECT_EQ(exp_of(0.0), 1.0);
  EXPECT_EQ(exp_of(-0.0), 1.0);
  EXPECT_EQ(exp_of(-1e300), 0.0);
  EXPECT_EQ(exp_of(-infinity), 0.0);
  EXPECT_EQ(exp_of(710.0), infinity);
  EXPECT_EQ(exp_of(infinity), infinity);
  EXPECT_TRUE(std::isnan(exp_of(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(exp_of(0.0f), 1.0f);
  EXPECT_EQ(exp_of(-1e30f), 0.0f);
  EXPECT_EQ(exp_of(1e30f), std::numeric_limits<float>::infinity());
}

TEST(FastExp, UnderflowsGradually) {
  EXPECT_EQ(exp_of(-745.1), std::numeric_limits<double>::denorm_min());
  EXPECT_GT(exp_of(-103.0f), 0.0f);
}

}  // namespace
}  // namespace stkr::fast_exp_test
