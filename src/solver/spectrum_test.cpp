#include "solver/spectrum.hpp"

#include <gtest/gtest.h>

#include "dense_operator.hpp"
#include "on_blocks.hpp"
#include "stkr/error.hpp"

namespace stkr::spectrum_test {
namespace {

template <class Block>
class Spectrum : public OnBlocks<Block> {};
TYPED_TEST_SUITE(Spectrum, BlockTypes, BlockNames);

TYPED_TEST(Spectrum, FindsBothEndsAndBracketsThem) {
  const DenseOperator a(with_spectrum(Vector::LinSpaced(300, -0.7, 1.3), 1));
  const SpectrumEstimate estimate = spectrum_on<TypeParam>(a);
  EXPECT_NEAR(estimate.smallest, -0.7, 1e-5);
  EXPECT_NEAR(estimate.largest, 1.3, 1e-5);
  EXPECT_GE(estimate.smallest, -0.7 - 1e-12);
  EXPECT_LE(estimate.largest, 1.3 + 1e-12);
  EXPECT_LE(estimate.bounds.lower, -0.7 + 1e-9);
  EXPECT_GE(estimate.bounds.upper, 1.3 - 1e-9);
}

TYPED_TEST(Spectrum, IsExactForSmallOperators) {
  for (const Index n : {1, 2, 5}) {
    const DenseOperator a(with_spectrum(Vector::LinSpaced(n, -1.0, 2.0), 2));
    const SpectrumEstimate estimate = spectrum_on<TypeParam>(a);
    EXPECT_NEAR(estimate.largest, 2.0, 1e-12) << n;
    EXPECT_NEAR(estimate.smallest, n == 1 ? 2.0 : -1.0, 1e-12) << n;
  }
}

TYPED_TEST(Spectrum, KnowsAboutWhereTheLargestEigenvaluesEnd) {
  // 100 eigenvalues at 1, the rest spread over [-1, 0.5].
  Vector values = Vector::LinSpaced(1000, 0.5, -1.0);
  values.head(100).setConstant(1.0);
  const SpectrumEstimate estimate = spectrum_on<TypeParam>(DenseOperator(with_spectrum(values, 3)));
  EXPECT_NEAR(estimate.weights.sum(), 1.0, 1e-12);
  EXPECT_NEAR(estimate.quantile(20, 1000), 1.0, 1e-6);
  for (const Index k : {200, 500, 800}) EXPECT_NEAR(estimate.quantile(k, 1000), values[k], 0.1);
  EXPECT_GE(estimate.quantile(1000, 1000), estimate.smallest);
}

TYPED_TEST(Spectrum, OfTheZeroOperatorIsZero) {
  const SpectrumEstimate estimate = spectrum_on<TypeParam>(DenseOperator(Matrix::Zero(10, 10)));
  EXPECT_EQ(estimate.largest, 0.0);
  EXPECT_EQ(estimate.bounds.lower, 0.0);
}

TYPED_TEST(Spectrum, CanBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  const DenseOperator a(Matrix::Identity(10, 10));
  EXPECT_THROW(spectrum_on<TypeParam>(a, {}, {.cancel = stop.get_token()}), Cancelled);
}

}  // namespace
}  // namespace stkr::spectrum_test
