#include "inference/tangent_split.hpp"

#include <gtest/gtest.h>

#include "gram_cases.hpp"

namespace stkr::tangent_split_test {
namespace {

using namespace cases;

GramCase lazy_graph() {
  return graph_case("walk", two_component_graph(kSamples, 3), GraphNormalization::lazy_walk);
}

std::optional<TangentSplit> split_of(const SpectralTransform& s) {
  const auto gram = lazy_graph().make(1);
  return tangent_split(SpectralAction(*gram, s, {}), gram->self_term());
}

TEST(TangentSplit, AddsUpToTheTransform) {
  const double delta = lazy_graph().make(1)->self_term();
  ASSERT_EQ(delta, 0.5);
  for (const SpectralTransform& s :
       {SpectralTransform::power(1), SpectralTransform::power(2), SpectralTransform::power(5),
        SpectralTransform::inverse_laplacian(0.9), SpectralTransform::inverse_laplacian(0.99)}) {
    const auto split = split_of(s);
    ASSERT_TRUE(split);
    const double largest = s(1.0);
    for (double lambda = 0.0; lambda <= 1.0; lambda += 0.01) {
      const double step = lambda - delta, root = split->root(lambda);
      const double sum = split->value + step * split->slope + step * step * root * root;
      EXPECT_NEAR(sum, s(lambda), 4e-4 * largest) << lambda;
    }
  }
}

TEST(TangentSplit, ThePoissonTransformIsAnInverseLaplacian) {
  const auto split = split_of(SpectralTransform::poisson(0.99));
  const auto other = split_of(SpectralTransform::inverse_laplacian(0.99));
  ASSERT_TRUE(split && other);
  EXPECT_NEAR(split->value, other->value, 1e-8);
  EXPECT_NEAR(split->slope, other->slope, 1e-6);
  for (const double lambda : {0.0, 0.3, 0.5, 0.9, 1.0}) {
    EXPECT_NEAR(split->root(lambda), other->root(lambda), 2e-3 * other->root(1.0));
  }
}

TEST(TangentSplit, RefusesWhatIsNotConvex) {
  EXPECT_FALSE(split_of(SpectralTransform::truncation(3)));
  EXPECT_FALSE(
      split_of(SpectralTransform::callable("concave", [](double l) { return l * (2.0 - l); })));
}

}  // namespace
}  // namespace stkr::tangent_split_test
