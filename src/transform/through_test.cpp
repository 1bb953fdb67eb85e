#include <gtest/gtest.h>

#include <cmath>

#include "stkr/error.hpp"
#include "stkr/transform/spectral_transform.hpp"
#include "transform/transform_text.hpp"

namespace stkr::through_test {
namespace {

TEST(TransformThrough, InterpolatesAndIsMonotone) {
  const std::vector<TransformPair> pairs{{1.0, 1.0}, {0.1, 0.01}, {0.5, 0.02}, {0.6, 0.9}};
  const SpectralTransform s = transform_through(pairs);
  for (const TransformPair& pair : pairs) EXPECT_NEAR(s(pair.lambda), pair.value, 1e-15);
  EXPECT_EQ(s(0.0), 0.0);
  double before = 0.0;
  for (int k = 1; k <= 3000; ++k) {
    const double value = s(k / 2000.0);
    EXPECT_GE(value, before - 1e-15) << k;
    before = value;
  }
  EXPECT_TRUE(s.validate({0.0, 1.0}).valid()) << s.validate({0.0, 1.0}).failures();
  EXPECT_TRUE(s.validate({0.0, 2.0}).valid());
}

TEST(TransformThrough, IsContinuouslyDifferentiable) {
  const SpectralTransform s = transform_through({{0.2, 0.1}, {0.3, 0.4}, {0.7, 0.4}, {1.0, 2.0}});
  const double h = 1e-6;
  for (const double knot : {0.2, 0.3, 0.7, 1.0}) {
    const double left = (s(knot) - s(knot - h)) / h, right = (s(knot + h) - s(knot)) / h;
    EXPECT_NEAR(left, right, 1e-3) << knot;
  }
  EXPECT_EQ(s(0.5), 0.4);  // a step stays flat
  const double slope = (s(1e-9) - s(-1e-9)) / 2e-9;
  EXPECT_NEAR(s(-0.5), -0.5 * slope, 1e-7);
}

TEST(TransformThrough, IsExactForLines) {
  const SpectralTransform one = transform_through({{0.5, 1.0}});
  const SpectralTransform three = transform_through({{0.5, 1.0}, {0.7, 1.4}, {1.0, 2.0}});
  for (const double lambda : {-0.3, 0.1, 0.6, 0.95, 1.7}) {
    EXPECT_NEAR(one(lambda), 2.0 * lambda, 1e-14);
    EXPECT_NEAR(three(lambda), 2.0 * lambda, 1e-14);
  }
}

// The counterexample after Theorem 1, whose s has no derivative at 0 in the limit.
TEST(TransformThrough, PassesTheoremOneForThePapersCounterexample) {
  std::vector<TransformPair> pairs;
  for (int i = 1; i <= 12; ++i) {
    const double lambda = std::pow(3.0, -i);
    pairs.push_back({lambda, i % 2 == 1 ? lambda : 2.0 * lambda});
  }
  const SpectralTransform s = transform_through(pairs);
  const TransformValidity validity = s.validate({0.0, 1.0 / 3.0});
  EXPECT_TRUE(validity.valid()) << validity.failures();
  EXPECT_GE(validity.slope, 1.9);  // M
  EXPECT_LE(validity.slope, 4.0);  // 2M, as in the proof
}

TEST(TransformThrough, IsWrittenAndReadAsText) {
  const SpectralTransform s = transform_through({{1.0, 1.0}, {0.1, 1.0 / 3.0}});
  EXPECT_EQ(s.name(), "through(0.1:0.3333333333333333, 1:1)");
  EXPECT_EQ(to_text(s), s.name());
  const SpectralTransform again = transform_from_text(to_text(s));
  const SpectralTransform sum = transform_from_text("0.5*through(0.1:0.01,1:1) + power(2)");
  EXPECT_EQ(to_text(sum), "0.5*through(0.1:0.01, 1:1) + power(2)");
  for (const double lambda : {0.05, 0.3, 1.0}) EXPECT_EQ(again(lambda), s(lambda));
  EXPECT_NEAR(sum(1.0), 1.5, 1e-15);
  EXPECT_EQ(to_text(transform_through({{0.5, 1.0}, {0.5, 1.0}})), "through(0.5:1)");
}

TEST(TransformThrough, SaysWhatIsWrong) {
  EXPECT_THROW(transform_through({}), ParameterError);
  EXPECT_THROW(transform_through({{0.0, 0.0}}), ParameterError);
  EXPECT_THROW(transform_through({{0.5, 0.0}}), ParameterError);
  EXPECT_THROW(transform_through({{0.5, -1.0}}), ParameterError);
  EXPECT_THROW(transform_through({{NAN, 1.0}}), ParameterError);
  EXPECT_THROW(transform_through({{0.5, 1.0}, {1.0, 0.5}}), ParameterError);  // decreasing
  EXPECT_THROW(transform_through({{0.5, 1.0}, {0.5, 2.0}}), ParameterError);
  for (const char* text : {"through(0.5)", "through(0.5:1, 2)", "power(1:2)", "through(0.5:)",
                           "through(:1)", "through()"}) {
    EXPECT_THROW(transform_from_text(text), ParameterError) << text;
  }
}

}  // namespace
}  // namespace stkr::through_test
