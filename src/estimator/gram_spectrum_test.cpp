#include "estimator/gram_spectrum.hpp"

#include <gtest/gtest.h>

#include "gram/dense_gram.hpp"
#include "gram_cases.hpp"
#include "stkr/error.hpp"

namespace stkr::gram_spectrum_test {
namespace {

using namespace cases;

class SpectrumOfEveryGram : public testing::TestWithParam<GramCase> {};

INSTANTIATE_TEST_SUITE_P(Grams, SpectrumOfEveryGram, testing::ValuesIn(gram_cases()), CaseName());

TEST_P(SpectrumOfEveryGram, ContainsTheEigenvaluesOfTheReference) {
  const auto gram = GetParam().make(1);
  const Vector values = GetParam().dense().values();
  const double rounding = 1e-9 * values.cwiseAbs().maxCoeff();
  for (const GramSpectrum& spectrum : {known_spectrum(*gram), estimated_spectrum(*gram)}) {
    EXPECT_LE(spectrum.bounds.lower, values.minCoeff() + rounding);
    EXPECT_GE(spectrum.bounds.upper, values.maxCoeff() - rounding);
  }
  const GramSpectrum estimated = estimated_spectrum(*gram);
  EXPECT_TRUE(estimated.estimated);
  EXPECT_NEAR(estimated.largest, values.maxCoeff(), 1e-6 * values.cwiseAbs().maxCoeff());
  // The small end may be crowded; a Ritz value is above it.
  EXPECT_GE(estimated.smallest, values.minCoeff() - rounding);
  EXPECT_NEAR(estimated.smallest, values.minCoeff(), 1e-4 * values.cwiseAbs().maxCoeff());
}

TEST_P(SpectrumOfEveryGram, KnowsTheLargestEigenvalueToNineDigits) {
  const double expected = GetParam().dense().largest();
  EXPECT_NEAR(largest_eigenvalue(*GetParam().make(1)), expected, 1e-9 * expected);
}

TEST(GramSpectrum, RefusesAKernelOfZeros) {
  EXPECT_THROW(largest_eigenvalue(DenseGram(Matrix::Zero(5, 5))), ValueError);
}

TEST(GramSpectrum, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  const DenseGram gram(Matrix::Identity(5, 5));
  EXPECT_THROW(estimated_spectrum(gram, {.cancel = stop.get_token()}), Cancelled);
}

}  // namespace
}  // namespace stkr::gram_spectrum_test
