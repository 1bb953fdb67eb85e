#include <gtest/gtest.h>

#include <cmath>

#include "gram_cases.hpp"
#include "stkr/theory/spectrum.hpp"
#include "transform_cases.hpp"

namespace stkr::eigenvalue_decay_test {
namespace {

using cases::kSamples;

Vector power_law(Index count, double exponent) {
  Vector values(count);
  for (Index i = 0; i < count; ++i) {
    values[i] = 3.0 * std::pow(static_cast<double>(i + 1), -exponent);
  }
  return values;
}

TEST(EigenvalueDecay, FindsAPowerLaw) {
  for (const double exponent : {1.25, 2.0, 5.0}) {
    const EigenvalueDecay found = decay_of(power_law(40, exponent).reverse());
    EXPECT_TRUE(found.determined);
    EXPECT_FALSE(found.capped);
    EXPECT_NEAR(found.p, 1.0 / exponent, 1e-10);
    EXPECT_NEAR(found.constant, 3.0, 1e-8);
    EXPECT_NEAR(found.r_squared, 1.0, 1e-10);
    EXPECT_LE(found.lower, found.p + 1e-12);
    EXPECT_GE(found.upper, found.p - 1e-12);
    EXPECT_EQ(found.finding, "");
  }
}

TEST(EigenvalueDecay, HasAnIntervalThatContainsTheExponent) {
  Vector values = power_law(60, 2.0);
  const Matrix noise = random_matrix(60, 1, 1);
  for (Index i = 0; i < 60; ++i) values[i] *= std::exp(0.2 * noise(i, 0));
  const EigenvalueDecay found = decay_of(values);
  EXPECT_LT(found.lower, found.p);
  EXPECT_GT(found.upper, found.p);
  EXPECT_NEAR(found.p, 0.5, 0.05);
  EXPECT_LT(found.upper - found.lower, 0.1);
}

TEST(EigenvalueDecay, IsCappedAsInTheoremTwo) {
  const EigenvalueDecay slow = decay_of(power_law(40, 0.5));
  EXPECT_TRUE(slow.capped);
  EXPECT_EQ(slow.p, 1.0);
  EXPECT_NEAR(slow.fitted, 2.0, 1e-10);
  EXPECT_NE(slow.finding.find("p = 1"), std::string::npos);
  const EigenvalueDecay flat = decay_of(Vector::Constant(10, 0.7));
  EXPECT_EQ(flat.p, 1.0);
  EXPECT_TRUE(flat.capped);
}

TEST(EigenvalueDecay, OfAFewEigenvaluesIsNotDetermined) {
  for (const Vector& values :
       {Vector(), Vector(Vector::Zero(5)), Vector(Vector::Ones(1)), Vector(Vector::Unit(5, 2))}) {
    const EigenvalueDecay found = decay_of(values);
    EXPECT_FALSE(found.determined);
    EXPECT_EQ(found.p, 1.0);
    EXPECT_NE(found.finding, "");
  }
}

TEST(EigenvalueDecay, IsThatOfTheTransformedKernel) {
  const auto points = cases::gram_cases().front();
  const auto gram = points.make(1);
  const Vector values = points.dense().values();
  const EigenvalueDecay plain = decay_of(values);
  for (const double power : {2.0, 2.5}) {
    const EigenvalueDecay found = eigenvalue_decay(*gram, SpectralTransform::power(power));
    const EigenvalueDecay expected =
        decay_of(values.unaryExpr([=](double x) { return x > 0.0 ? std::pow(x, power) : 0.0; }));
    EXPECT_NEAR(found.p, expected.p, 1e-8);
    EXPECT_EQ(found.used, expected.used);
    EXPECT_LT(found.p, plain.p);
  }
  const auto d = eigenvalue_decay(*gram, SpectralTransform::truncation(5));
  EXPECT_EQ(d.used, 5);
  EXPECT_NEAR(d.p, decay_of(values.head(5)).p, 1e-8);
  // Leading eigenvalues only.
  const auto some =
      eigenvalue_decay(*gram, SpectralTransform::power(1), {.exact_below = 0, .leading = 6});
  EXPECT_NEAR(some.p, decay_of(values.head(6)).p, 1e-8);
}

}  // namespace
}  // namespace stkr::eigenvalue_decay_test
