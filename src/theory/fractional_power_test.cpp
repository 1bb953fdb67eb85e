#include "theory/fractional_power.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "gram_cases.hpp"
#include "stkr/error.hpp"
#include "transform_cases.hpp"

namespace stkr::fractional_power_test {
namespace {

using cases::GramCase;
using cases::kSamples;

std::vector<Index> all_samples() {
  std::vector<Index> all(kSamples);
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

// N U Λ^p Uᵀ over the positive eigenvalues
Matrix dense_power(const Matrix& kernel, double p) {
  const reference::Spectrum spectrum(kernel / static_cast<double>(kSamples));
  const double zero = 1e-12 * spectrum.values[0];
  const Vector powers =
      spectrum.values.unaryExpr([=](double l) { return l > zero ? std::pow(l, p) : 0.0; });
  return static_cast<double>(kSamples) * spectrum.vectors * powers.asDiagonal() *
         spectrum.vectors.transpose();
}

class FractionalPowerOfEveryGram : public testing::TestWithParam<GramCase> {};

TEST_P(FractionalPowerOfEveryGram, IsThatOfTheEigenvectors) {
  const auto gram = GetParam().make(1);
  const auto n = static_cast<double>(kSamples);
  const double delta = GetParam().self_term;
  if (GetParam().dense().smallest() < -1e-9) {
    EXPECT_THROW(transformed_kernel(*gram, 0.5, {.known = all_samples()}), ValueError);
    return;
  }
  const Matrix eye = Matrix::Identity(kSamples, kSamples);
  KernelSamples samples{.known = all_samples(), .fresh = GetParam().as_new()};
  const Matrix shared = GetParam().kernel - n * delta * eye;
  std::optional<Matrix> among = gram->cross_kernel()->place(*samples.fresh)->among();
  if (!among) samples.among = among = shared;
  for (const double p : {0.25, 0.5, 0.9}) {
    SCOPED_TRACE(p);
    const Matrix expected = dense_power(GetParam().kernel, p);
    const double scale = expected.cwiseAbs().maxCoeff();
    const Matrix found = transformed_kernel(*gram, p, samples).values;
    EXPECT_LT((found.topLeftCorner(kSamples, kSamples) - expected).cwiseAbs().maxCoeff(),
              1e-8 * scale);
    // Samples presented again as new: they lack their self term, and a graph has no edges between
    // them. Errors of eigenvalues near 0 are magnified by λ^(p-1).
    const double s_delta = delta > 0.0 ? std::pow(delta, p) : 0.0;
    const double slope = delta > 0.0 ? p * std::pow(delta, p - 1.0) : 0.0;
    EXPECT_LT((found.bottomLeftCorner(kSamples, kSamples) - (expected - n * s_delta * eye))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-6 * scale);
    const Matrix fresh = delta > 0.0 ? Matrix(expected + slope * (*among - shared)) : expected;
    EXPECT_LT((found.bottomRightCorner(kSamples, kSamples) - fresh).cwiseAbs().maxCoeff(),
              1e-4 * scale);
    const Matrix distances = diffusion_distances(*gram, p, {.known = {0, 5}});
    EXPECT_NEAR(distances(0, 1),
                std::sqrt(std::max(expected(0, 0) + expected(5, 5) - 2.0 * expected(0, 5), 0.0)),
                1e-7 * std::sqrt(scale));
  }
}

INSTANTIATE_TEST_SUITE_P(Grams, FractionalPowerOfEveryGram, testing::ValuesIn(cases::gram_cases()),
                         cases::CaseName());

// The same formulas with an exponent that the other path has, too.
TEST(FractionalPower, AgreesWithTransformsWhereBothExist) {
  for (const GramCase& one : cases::gram_cases()) {
    if (one.dense().smallest() < -1e-9) continue;
    SCOPED_TRACE(one.name);
    const auto gram = one.make(1);
    const FractionalPower power(*gram, 2.5, kSamples, {});
    const KernelAction action{[&](const Matrix& b) { return power.known(b); },
                              [&](const Matrix& b) { return power.fresh(b); }};
    KernelSamples samples{.known = {0, 4}, .fresh = one.as_new()};
    if (!gram->cross_kernel()->place(*samples.fresh)->among()) samples.among = one.kernel;
    const Matrix expected =
        transformed_kernel(*gram, SpectralTransform::power(2.5), samples).values;
    EXPECT_LT((kernel_between(*gram, samples, action).values - expected).cwiseAbs().maxCoeff(),
              1e-8 * expected.cwiseAbs().maxCoeff());
  }
}

TEST(FractionalPower, OfNewPointsIsTheMercerSum) {
  const Matrix x = random_matrix(kSamples, 3, 21), z = random_matrix(5, 3, 22);
  const PointGram<double> gram(x, Kernel::rbf(1.0));
  const auto k = cases::rbf(1.0);
  Matrix rows(5, kSamples);
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < kSamples; ++j) rows(i, j) = k(z.row(i), x.row(j));
  }
  const reference::Spectrum spectrum(cases::kernel_matrix(x, k) / static_cast<double>(kSamples));
  // ψ̂_i(z) = v(z) u_i/(√N λ_i)
  Matrix psi = rows * spectrum.vectors;
  for (Index i = 0; i < kSamples; ++i) {
    psi.col(i) /= spectrum.values[i] * std::sqrt(static_cast<double>(kSamples));
  }
  const Matrix expected = psi * spectrum.values.cwiseSqrt().asDiagonal() * psi.transpose();
  const Matrix found = transformed_kernel(gram, 0.5, {.fresh = NewSamples{z}}).values;
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-8 * expected.cwiseAbs().maxCoeff());
}

TEST(FractionalPower, SaysWhatItCannotDo) {
  const GramCase points = cases::gram_cases().front();
  const auto gram = points.make(1);
  EXPECT_THROW(transformed_kernel(*gram, 0.5, {.known = {0}}, {.dense_below = kSamples - 1}),
               ValueError);
  EXPECT_THROW(transformed_kernel(*gram, 0.0, {.known = {0}}), ParameterError);
  EXPECT_THROW(transformed_kernel(*gram, -1.0, {.known = {0}}), ParameterError);
}

}  // namespace
}  // namespace stkr::fractional_power_test
