#include <gtest/gtest.h>

#include <cmath>

#include "gram_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/theory/spectrum.hpp"

namespace stkr::spectral_density_test {
namespace {

using cases::GramCase;
using cases::kSamples;

class SpectralDensityOfEveryGram : public testing::TestWithParam<GramCase> {};

TEST_P(SpectralDensityOfEveryGram, OfFewSamplesHasAllEigenvalues) {
  const auto gram = GetParam().make(1);
  const Vector values = GetParam().dense().values();
  const SpectralDensity density = spectral_density(*gram);
  ASSERT_TRUE(density.exact);
  EXPECT_LT((density.nodes.front().reverse() - values).cwiseAbs().maxCoeff(), 1e-10);
  const Estimate trace = density.trace([](double x) { return x; });
  EXPECT_NEAR(trace.value, values.sum(), 1e-9);
  EXPECT_EQ(trace.standard_error, 0.0);
  const double middle = 0.3 * values[0];
  EXPECT_EQ(density.count_above(middle).value, (values.array() > middle).count());
  EXPECT_NEAR(density.smallest(), values[kSamples - 1], 1e-10);
  EXPECT_NEAR(density.largest(), values[0], 1e-10);
}

TEST_P(SpectralDensityOfEveryGram, ByProbesIsWithinItsStandardError) {
  const auto gram = GetParam().make(1);
  const Vector values = GetParam().dense().values();
  const SpectralDensity density =
      spectral_density(*gram, {.exact_below = 0, .probes = 400, .steps = 24});
  EXPECT_FALSE(density.exact);
  EXPECT_NEAR(density.count_above(-1e3).value, kSamples, 1e-9);
  const Estimate trace = density.trace([](double x) { return x; });
  EXPECT_GT(trace.standard_error, 0.0);
  EXPECT_NEAR(trace.value, values.sum(), 5.0 * trace.standard_error);
  // Between the first and the next eigenvalue that differs.
  Index d = 1;
  while (values[d - 1] - values[d] < 0.05 * values[0]) ++d;
  const Estimate count = density.count_above(0.5 * (values[d - 1] + values[d]));
  EXPECT_NEAR(count.value, static_cast<double>(d), 5.0 * count.standard_error);
}

INSTANTIATE_TEST_SUITE_P(Grams, SpectralDensityOfEveryGram, testing::ValuesIn(cases::gram_cases()),
                         cases::CaseName());

TEST(SpectralDensity, DependsOnTheSeedAndNotOnThreads) {
  const Matrix x = random_matrix(1200, 4, 1);
  const auto density = [&](int threads, std::uint64_t seed) {
    const PointGram<double> gram(x, Kernel::rbf(1.0), threads);
    return spectral_density(gram, {.probes = 3, .steps = 15}, {.threads = threads, .seed = seed});
  };
  const SpectralDensity one = density(1, 1), two = density(2, 1), other = density(1, 2);
  ASSERT_FALSE(one.exact);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(one.nodes[c], two.nodes[c]);
    EXPECT_EQ(one.weights[c], two.weights[c]);
    EXPECT_NE(one.weights[c], other.weights[c]);
  }
}

TEST(SpectralDensity, TakesFlatSpectraAndTheZeroOperator) {
  for (const double value : {0.0, 2.0}) {
    const DenseOperator flat(value * Matrix::Identity(30, 30));
    for (const Index exact_below : {Index{0}, Index{1000}}) {
      const SpectralDensity density = spectral_density(flat, {.exact_below = exact_below});
      EXPECT_NEAR(density.trace([](double x) { return x; }).value, 30.0 * value, 1e-9);
      EXPECT_NEAR(density.count_above(1.0).value, value > 1.0 ? 30.0 : 0.0, 1e-9);
    }
  }
  const DenseOperator single(Matrix::Constant(1, 1, 3.0));
  EXPECT_NEAR(spectral_density(single, {.exact_below = 0}).largest(), 3.0, 1e-12);
  EXPECT_THROW(spectral_density(single, {.probes = 1}), ParameterError);
}

}  // namespace
}  // namespace stkr::spectral_density_test
