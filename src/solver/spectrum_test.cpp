#include "stkr/solver/spectrum.hpp"

#include <gtest/gtest.h>

#include "dense_operator.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

TEST(Spectrum, FindsBothEndsAndBracketsThem) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(300, -0.7, 1.3), 1));
  const SpectrumEstimate estimate = estimate_spectrum(a);
  EXPECT_NEAR(estimate.smallest, -0.7, 1e-5);
  EXPECT_NEAR(estimate.largest, 1.3, 1e-5);
  EXPECT_GE(estimate.smallest, -0.7 - 1e-12);
  EXPECT_LE(estimate.largest, 1.3 + 1e-12);
  EXPECT_LE(estimate.bounds.lower, -0.7 + 1e-9);
  EXPECT_GE(estimate.bounds.upper, 1.3 - 1e-9);
}

TEST(Spectrum, IsExactForSmallOperators) {
  for (const Index n : {1, 2, 5}) {
    const DenseOperator a(with_spectrum(Vector::LinSpaced(n, -1.0, 2.0), 2));
    const SpectrumEstimate estimate = estimate_spectrum(a);
    EXPECT_NEAR(estimate.largest, 2.0, 1e-12) << n;
    EXPECT_NEAR(estimate.smallest, n == 1 ? 2.0 : -1.0, 1e-12) << n;
  }
}

TEST(Spectrum, OfTheZeroOperatorIsZero) {
  const SpectrumEstimate estimate = estimate_spectrum(DenseOperator(Matrix::Zero(10, 10)));
  EXPECT_EQ(estimate.largest, 0.0);
  EXPECT_EQ(estimate.bounds.lower, 0.0);
}

TEST(Spectrum, CanBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  const DenseOperator a(Matrix::Identity(10, 10));
  EXPECT_THROW(estimate_spectrum(a, {.cancel = stop.get_token()}), Cancelled);
}

}  // namespace
}  // namespace stkr
