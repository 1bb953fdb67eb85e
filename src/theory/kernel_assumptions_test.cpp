#include <gtest/gtest.h>

#include "gram/weighted_gram.hpp"
#include "gram_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/theory/spectrum.hpp"

namespace stkr::kernel_assumptions_test {
namespace {

using cases::GramCase;
using cases::kSamples;

class KernelAssumptionsOfEveryGram : public testing::TestWithParam<GramCase> {};

TEST_P(KernelAssumptionsOfEveryGram, AreMeasured) {
  const auto gram = GetParam().make(1);
  const Vector values = GetParam().dense().values();
  for (const Index exact_below : {Index{0}, Index{1000}}) {
    const Definiteness found =
        definiteness(*gram, {.exact_below = exact_below, .probes = 200, .steps = 24});
    EXPECT_NEAR(found.smallest, values[kSamples - 1], 1e-6);
    EXPECT_NEAR(found.largest, values[0], 1e-6);
    EXPECT_EQ(found.semidefinite, values[kSamples - 1] > -1e-9) << values[kSamples - 1];
    EXPECT_EQ(found.remedy.empty(), found.semidefinite);
    const double share = static_cast<double>((values.array() < -1e-9).count()) / kSamples;
    EXPECT_NEAR(found.negative.value, share,
                1e-12 + 5.0 * found.negative.standard_error + found.negative.resolution);
    EXPECT_LT(found.negative.resolution, 0.3);
  }
  const KernelBound bound = kernel_bound(*gram);
  EXPECT_NEAR(bound.kappa_squared, GetParam().kernel.diagonal().maxCoeff(), 1e-10);
  EXPECT_NEAR(GetParam().kernel(bound.sample, bound.sample), bound.kappa_squared, 1e-10);
  EXPECT_TRUE(bound.complete);
  const KernelBound some = kernel_bound(*gram, 5);
  EXPECT_EQ(some.samples, 5);
  EXPECT_FALSE(some.complete);
  EXPECT_LE(some.kappa_squared, bound.kappa_squared + 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Grams, KernelAssumptionsOfEveryGram,
                         testing::ValuesIn(cases::gram_cases()), cases::CaseName());

TEST(Definiteness, NamesARemedy) {
  const Matrix w = cases::two_component_graph(kSamples, 12);
  const GraphGram graph(cases::to_csr(w), {});
  EXPECT_NE(definiteness(graph).remedy.find("lazy walk"), std::string::npos);
  const DenseGram dense(with_spectrum(Vector::LinSpaced(8, -8.0, 8.0), 1), 1);
  const std::string remedy = definiteness(dense).remedy;
  EXPECT_NE(remedy.find("add 8 to K(x, x)"), std::string::npos) << remedy;
  EXPECT_TRUE(definiteness(DenseGram(Matrix::Zero(4, 4), 1)).semidefinite);
}

TEST(KernelBound, DoesNotCountWeights) {
  const Matrix x = random_matrix(10, 2, 1);
  Vector weights = Vector::LinSpaced(10, 0.0, 1.5);
  const WeightedGram gram(std::make_unique<PointGram<double>>(x, Kernel::rbf(1.0)), weights);
  EXPECT_NEAR(kernel_bound(gram).kappa_squared, 1.0, 1e-12);
  EXPECT_THROW(kernel_bound(gram, -1), ParameterError);
}

}  // namespace
}  // namespace stkr::kernel_assumptions_test
