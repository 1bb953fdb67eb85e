#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numeric>

#include "gram/weighted_gram.hpp"
#include "gram_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/theory/spectrum.hpp"
#include "transform_cases.hpp"

namespace stkr::effective_dimension_test {
namespace {

using cases::GramCase;
using cases::kSamples;

class EffectiveDimensionOfEveryGram : public testing::TestWithParam<GramCase> {};

TEST_P(EffectiveDimensionOfEveryGram, IsTheTraceOfTheHatMatrix) {
  const auto gram = GetParam().make(1);
  const reference::Dense dense = GetParam().dense();
  const auto square = cases::power_case(2);
  const Matrix k = dense.transformed(square.exact);
  const std::vector<Index> some{1, 4, 9, 16, 20};
  const Matrix g = reference::rows_of(reference::columns_of(k, some), some);
  for (const double beta : {0.01, 1.0}) {
    Matrix a = g;
    a.diagonal().array() += 5.0 * beta;
    const double expected = (a.inverse() * g).trace();
    EXPECT_NEAR(effective_dimension(*gram, square.transform, some, beta), expected, 1e-8);
    // All samples, by their eigenvalues.
    double sum = 0.0;
    for (const double x : dense.values()) sum += x * x / (x * x + beta);
    const SpectralDensity density = spectral_density(*gram);
    EXPECT_NEAR(effective_dimension(density, square.transform, beta).value, sum, 1e-8);
    std::vector<Index> all(kSamples);
    std::iota(all.begin(), all.end(), Index{0});
    EXPECT_NEAR(effective_dimension(*gram, square.transform, all, beta), sum, 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Grams, EffectiveDimensionOfEveryGram,
                         testing::ValuesIn(cases::gram_cases()), cases::CaseName());

TEST(EffectiveDimension, CountsKernelValuesWithoutWeights) {
  const Matrix x = random_matrix(10, 2, 1);
  const PointGram<double> plain(x, Kernel::rbf(1.0));
  const WeightedGram weighted(std::make_unique<PointGram<double>>(x, Kernel::rbf(1.0)),
                              Vector::LinSpaced(10, 0.5, 1.5));
  const std::vector<Index> some{1, 5, 6};
  const auto s = SpectralTransform::power(1);  // K itself does not depend on the measure
  EXPECT_NEAR(effective_dimension(weighted, s, some, 0.1), effective_dimension(plain, s, some, 0.1),
              1e-10);
}

TEST(EffectiveDimension, RefusesWhatHasNone) {
  const DenseGram gram(with_spectrum(Vector::LinSpaced(8, -8.0, 8.0), 1), 1);
  const auto s = SpectralTransform::power(1);
  const std::vector<Index> all{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_THROW(effective_dimension(gram, s, all, 0.0), ParameterError);
  EXPECT_THROW(effective_dimension(gram, s, all, 0.01), ValueError);
  const SpectralDensity density = spectral_density(gram);
  EXPECT_THROW(effective_dimension(density, s, 0.01), ValueError);
  EXPECT_THROW(effective_dimension(density, SpectralTransform::truncation(2), 0.01),
               ParameterError);
}

}  // namespace
}  // namespace stkr::effective_dimension_test
