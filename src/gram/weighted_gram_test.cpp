#include "gram/weighted_gram.hpp"

#include <gtest/gtest.h>

#include "gram_cases.hpp"
#include "stkr/error.hpp"

namespace stkr::weighted_gram_test {
namespace {

using namespace cases;
using reference::relative_error;

Vector some_weights(Index count) {
  Vector weights(count);
  for (Index i = 0; i < count; ++i) weights[i] = 0.5 + 0.25 * double(i % 7);
  return weights;
}

class WeightedOfEveryGram : public testing::TestWithParam<GramCase> {};

INSTANTIATE_TEST_SUITE_P(Grams, WeightedOfEveryGram, testing::ValuesIn(gram_cases()), CaseName());

TEST_P(WeightedOfEveryGram, IsTheGramOfTheWeightedMeasure) {
  const GramCase& c = GetParam();
  const Vector weights = some_weights(kSamples);
  WeightedGram gram(c.make(1), weights);
  // S_p = P^½ G_K P^½
  const Vector root = (weights / weights.sum()).cwiseSqrt();
  const Matrix expected = root.asDiagonal() * c.kernel * root.asDiagonal();
  EXPECT_LT(relative_error(product(gram, Matrix::Identity(kSamples, kSamples)), expected), 1e-12);
  const std::vector<Index> rows{3, 0, 22}, columns{1, 3};
  const Matrix k = reference::rows_of(reference::columns_of(expected, columns), rows);
  EXPECT_LT(relative_error(gram.block(rows, columns), double(kSamples) * k), 1e-12);
  const reference::Spectrum spectrum(expected);
  EXPECT_LE(gram.bounds().lower, spectrum.values[kSamples - 1] + 1e-10);
  EXPECT_GE(gram.bounds().upper, spectrum.values[0] - 1e-10);
  ASSERT_NE(gram.root_weights(), nullptr);
  EXPECT_NEAR(gram.root_weights()->squaredNorm(), double(kSamples), 1e-10);

  const Matrix x = random_matrix(kSamples, 2, 61);
  const auto plain = c.make(1)->cross_kernel();
  const Matrix scaled = gram.root_weights()->asDiagonal() * x;
  const auto cross = gram.cross_kernel();
  const NewSamples samples = c.as_new();
  EXPECT_EQ(cross->place(samples)->sparse(), plain->place(samples)->sparse());
  EXPECT_LT(relative_error(cross->apply(c.as_new(), x), plain->apply(c.as_new(), scaled)), 1e-12);
}

TEST(WeightedGram, RefusesWeightsThatMakeNoMeasure) {
  const auto make = [&](Vector weights) { WeightedGram(gram_cases()[0].make(1), weights); };
  EXPECT_THROW(make(Vector::Ones(3)), ShapeError);
  EXPECT_THROW(make(Vector::Zero(kSamples)), ValueError);
  EXPECT_THROW(make(-some_weights(kSamples)), ValueError);
  Vector nan = some_weights(kSamples);
  nan[4] = std::nan("");
  EXPECT_THROW(make(nan), ValueError);
}

}  // namespace
}  // namespace stkr::weighted_gram_test
