#include "estimator/labeled_system.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "gram_cases.hpp"
#include "stkr/error.hpp"
#include "transform_cases.hpp"

namespace stkr::labeled_system_test {
namespace {

using namespace cases;
using reference::relative_error;

const std::vector<Index> kLabeled{17, 2, 5, 11, 0, 22, 8};

class LabeledSystemOfEveryGram : public testing::TestWithParam<GramCase> {};

INSTANTIATE_TEST_SUITE_P(Grams, LabeledSystemOfEveryGram, testing::ValuesIn(gram_cases()),
                         CaseName());

TEST_P(LabeledSystemOfEveryGram, HasTheTransformedKernelOfTheReference) {
  const auto gram = GetParam().make(1);
  const reference::Dense dense = GetParam().dense();
  std::vector<Index> all(kSamples);
  std::iota(all.begin(), all.end(), 0);
  for (const TransformCase& t : transform_cases(*gram, dense)) {
    SCOPED_TRACE(t.name);
    const SpectralAction action(*gram, t.transform, {.tolerance = 1e-13});
    const Matrix k = transformed_gram(*gram, action, all);
    EXPECT_LT(relative_error(k, dense.transformed(t.exact)), 1e-8);
    EXPECT_EQ(k, Matrix(k.transpose()));
    const Matrix block = transformed_gram(*gram, action, kLabeled);
    EXPECT_LT(relative_error(block, dense.system(t.exact, kLabeled, 0.0)), 1e-8);
  }
}

TEST_P(LabeledSystemOfEveryGram, MultipliesLikeTheExplicitSystem) {
  const auto gram = GetParam().make(1);
  const reference::Dense dense = GetParam().dense();
  const double beta = 0.3;
  const Matrix alpha = random_matrix(static_cast<Index>(kLabeled.size()), 3, 31);
  for (const TransformCase& t : transform_cases(*gram, dense)) {
    SCOPED_TRACE(t.name);
    const SpectralAction action(*gram, t.transform, {.tolerance = 1e-13});
    const Vector weights = dense.label_weights(t.exact, kLabeled);
    const LabeledSystem system(*gram, action, kLabeled, beta, t.exact.poisson ? weights : Vector());
    const Matrix scaled = weights.cwiseSqrt().asDiagonal() * alpha;
    const Matrix expected =
        weights.cwiseSqrt().asDiagonal() * (dense.system(t.exact, kLabeled, beta) * scaled);
    EXPECT_LT(relative_error(product(system, alpha), expected), 1e-8);
  }
}

TEST(LabeledSystem, FollowsAlgorithmThreeAsPrinted) {
  const GramCase graph = gram_cases()[5];
  const auto gram = graph.make(1);
  const std::vector<double> pi{0.4, 0.3, 0.0, 0.9};
  const Matrix g = graph.kernel, left = reference::columns_of(g, kLabeled);
  const double total = kSamples;
  Matrix m = left;
  Matrix a = pi[0] * reference::rows_of(left, kLabeled);
  for (std::size_t p = 1; p < pi.size(); ++p) {
    a += pi[p] / total * left.transpose() * m;
    m = g * m / total;
  }
  const SpectralAction action(*gram, SpectralTransform::polynomial(pi), {});
  EXPECT_LT(relative_error(transformed_gram(*gram, action, kLabeled), a), 1e-13);
}

TEST(LabeledSystem, RejectsBlocksThatAreNotOnePerLabel) {
  const auto gram = gram_cases()[0].make(1);
  const SpectralAction action(*gram, SpectralTransform::power(2), {});
  const LabeledSystem system(*gram, action, kLabeled, 1.0);
  EXPECT_EQ(system.size(), 7);
  EXPECT_THROW(product(system, Matrix::Ones(kSamples, 1)), ShapeError);
}

}  // namespace
}  // namespace stkr::labeled_system_test
