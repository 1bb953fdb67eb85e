#include "stkr/theory/rkhs_norm.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gram/weighted_gram.hpp"
#include "gram_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/stkr.hpp"
#include "transform_cases.hpp"

namespace stkr::rkhs_norm_test {
namespace {

using cases::GramCase;
using cases::kSamples;

// Σ_i <u_i, f>²/(N s(λ_i)) over the eigenvalues with s(λ_i) > 0
double norm_by_eigenvectors(const GramCase& gram, const Vector& f,
                            const std::function<double(double)>& s) {
  const reference::Spectrum spectrum(gram.kernel / static_cast<double>(kSamples));
  double sum = 0.0;
  for (Index k = 0; k < kSamples; ++k) {
    const double lambda = spectrum.values[k];
    if (std::abs(lambda) < 1e-12 * spectrum.values[0] || !(s(lambda) > 0.0)) continue;
    sum += std::pow(spectrum.vectors.col(k).dot(f), 2) / (s(lambda) * kSamples);
  }
  return sum;
}

// A function that every power of the kernel contains.
Vector smooth_function(const GramCase& gram, std::uint64_t seed) {
  const reference::Spectrum spectrum(gram.kernel / static_cast<double>(kSamples));
  const Matrix c = random_matrix(3, 1, seed);
  return std::sqrt(static_cast<double>(kSamples)) * spectrum.vectors.leftCols(3) * c;
}

class RkhsNormOfEveryGram : public testing::TestWithParam<GramCase> {};

TEST_P(RkhsNormOfEveryGram, IsTheSumOverEigenfunctions) {
  const auto gram = GetParam().make(1);
  const Vector f = smooth_function(GetParam(), 1), g = smooth_function(GetParam(), 2);
  const double unit = 1.0 / GetParam().dense().largest();
  const std::vector<cases::TransformCase> all{
      cases::power_case(1), cases::power_case(2), cases::power_case(2.5),
      cases::inverse_laplacian_case(0.9 * unit), cases::diffusion_case(unit)};
  for (const auto& t : all) {
    SCOPED_TRACE(t.name);
    const double expected = norm_by_eigenvectors(GetParam(), f, t.exact.s);
    const RkhsNorm found = rkhs_norm(*gram, t.transform, f);
    EXPECT_NEAR(found.squared, expected, 1e-8 * expected);
    EXPECT_NEAR(found.lipschitz(), std::sqrt(expected), 1e-8 * std::sqrt(expected));
    EXPECT_LT(found.outside, 1e-14);
    // By Lanczos, as for many samples.
    EXPECT_NEAR(rkhs_norm(*gram, t.transform, f, {.exact_below = 0}).squared, expected,
                1e-8 * expected);
    const double both = norm_by_eigenvectors(GetParam(), f + g, t.exact.s);
    const double other = norm_by_eigenvectors(GetParam(), g, t.exact.s);
    EXPECT_NEAR(rkhs_inner_product(*gram, t.transform, f, g), 0.5 * (both - expected - other),
                1e-8 * both);
  }
  for (const double p : {0.25, 0.5, 1.5}) {  // powers below 1, too
    SCOPED_TRACE(p);
    const auto power = [p](double l) { return l > 0.0 ? std::pow(l, p) : 0.0; };
    const double expected = norm_by_eigenvectors(GetParam(), f, power);
    const double both = norm_by_eigenvectors(GetParam(), f + g, power);
    const double other = norm_by_eigenvectors(GetParam(), g, power);
    EXPECT_NEAR(rkhs_norm(*gram, p, f).squared, expected, 1e-8 * expected);
    EXPECT_NEAR(rkhs_inner_product(*gram, p, f, g), 0.5 * (both - expected - other), 1e-8 * both);
  }
  // The inverse Laplacian subtracts a part of the variance: ‖f‖²_{K_s} = ‖f‖²_K - η‖f‖²_P.
  const double eta = 0.9 * unit;
  EXPECT_NEAR(rkhs_norm(*gram, SpectralTransform::inverse_laplacian(eta), f).squared,
              rkhs_norm(*gram, 1.0, f).squared - eta * f.squaredNorm() / kSamples, 1e-8);
}

TEST_P(RkhsNormOfEveryGram, OfAFitIsThatOfItsValues) {
  const auto gram = GetParam().make(1);
  const reference::Dense dense = GetParam().dense();
  if (dense.smallest() < -1e-9) return;  // K_s = K² below
  const std::vector<Index> labeled{0, 3, 8, 17};
  const Matrix y = random_matrix(4, 2, 5);
  StkrOptions options{.transform = SpectralTransform::power(2)};
  const Fit fit = fit_stkr(*gram, labeled, y, options);
  const Vector found = fitted_norms(fit, labeled);
  Matrix g = reference::rows_of(
      reference::columns_of(dense.transformed(cases::power_case(2).exact), labeled), labeled);
  for (Index c = 0; c < 2; ++c) {
    const double expected = fit.alpha.col(c).dot(g * fit.alpha.col(c));
    EXPECT_NEAR(found[c], expected, 1e-7 * expected);
    const RkhsNorm of_values = rkhs_norm(*gram, options.transform, fit.fitted.col(c));
    EXPECT_NEAR(of_values.squared, expected, 1e-5 * expected);
  }
}

TEST_P(RkhsNormOfEveryGram, BoundsSmoothnessByThePoincareConstants) {
  const GramCase centered = cases::centered_case("centered", GetParam());
  const auto centered_gram = centered.make(1);
  const reference::Spectrum spectrum(centered.kernel / static_cast<double>(kSamples));
  const std::vector<double> scales{0.5, 1.0, 1.5, 2.0};
  for (const Index j : {Index{0}, Index{1}}) {
    const Vector psi = std::sqrt(static_cast<double>(kSamples)) * spectrum.vectors.col(j);
    const auto found = multiscale_smoothness(*centered_gram, psi.array() + 3.0, scales);
    for (std::size_t k = 0; k < scales.size(); ++k) {
      const double expected = std::pow(spectrum.values[j], scales[k]);
      EXPECT_NEAR(found[k].ratio, expected, 1e-8 * expected);  // r(ψ_j) = λ_j^p, whatever the mean
      EXPECT_NEAR(found[k].variance, 1.0, 1e-10);
      const Vector constants = poincare_constants(*centered_gram, scales[k], 2);
      EXPECT_NEAR(constants[j], expected, 1e-8 * expected);
    }
  }
  const Vector f = smooth_function(centered, 9);
  for (const Smoothness& one : multiscale_smoothness(*centered_gram, f, scales)) {
    EXPECT_LE(one.ratio, std::pow(spectrum.values[0], one.p) * (1.0 + 1e-9));
    const double expected = norm_by_eigenvectors(
        centered, f, [&](double x) { return x > 0.0 ? std::pow(x, one.p) : 0.0; });
    EXPECT_NEAR(one.norm.squared, expected, 1e-8 * expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Grams, RkhsNormOfEveryGram, testing::ValuesIn(cases::gram_cases()),
                         cases::CaseName());

TEST(RkhsNorm, IsInfiniteOutsideOfTheRange) {
  const Matrix x = random_matrix(kSamples, 3, 1);
  const PointGram<double> gram(x, Kernel::linear());
  const Vector inside = x.col(0), outside = random_matrix(kSamples, 1, 2).col(0);
  // ‖<w, ·>‖²_K = ‖w‖²
  EXPECT_NEAR(rkhs_norm(gram, 1.0, inside).squared, 1.0, 1e-8);
  const RkhsNorm norm = rkhs_norm(gram, 1.0, outside);
  EXPECT_TRUE(std::isinf(norm.squared));
  EXPECT_GT(norm.outside, 0.1);
  EXPECT_EQ(multiscale_smoothness(gram, outside, std::vector<double>{1.0})[0].ratio, 0.0);
  EXPECT_TRUE(std::isnan(
      multiscale_smoothness(gram, Vector::Constant(kSamples, 2.0), std::vector<double>{1.0})[0]
          .ratio));
  EXPECT_THROW(rkhs_inner_product(gram, SpectralTransform::power(1), inside, outside), ValueError);
}

TEST(RkhsNorm, IsThatOfTheReproducingKernel) {
  // ‖K_x‖²_K = K(x, x), and <f, K_x>_K = f(x)
  const GramCase points = cases::gram_cases().front();
  const auto gram = points.make(1);
  const auto power = SpectralTransform::power(2);
  const Matrix k2 = points.dense().transformed(cases::power_case(2).exact);
  const Vector f = smooth_function(points, 3), k_x = k2.col(5);
  EXPECT_NEAR(rkhs_norm(*gram, power, k_x).squared, k2(5, 5), 1e-8 * k2(5, 5));
  EXPECT_NEAR(rkhs_inner_product(*gram, power, f, k_x), f[5], 1e-8);
}

TEST(RkhsNorm, OfATruncationIsThatOfItsEigenfunctions) {
  const GramCase points = cases::gram_cases().front();
  const auto gram = points.make(1);
  const Vector f = smooth_function(points, 3);
  const double whole = rkhs_norm(*gram, 1.0, f).squared;
  EXPECT_NEAR(rkhs_norm(*gram, SpectralTransform::truncation(3), f).squared, whole, 1e-8 * whole);
  EXPECT_TRUE(std::isinf(rkhs_norm(*gram, SpectralTransform::truncation(2), f).squared));
  EXPECT_THROW(rkhs_norm(*gram, SpectralTransform::poisson(), f), ParameterError);
  EXPECT_THROW(rkhs_norm(*gram, 0.0, f), ParameterError);
  EXPECT_THROW(rkhs_norm(*gram, NAN, f), ParameterError);
}

TEST(RkhsNorm, CountsSamplesByTheirWeights) {
  // Weights 1 and 2 are samples given once and twice.
  const Matrix x = random_matrix(6, 2, 1);
  Matrix repeated(9, 2);
  repeated << x, x.topRows(3);
  Vector weights = Vector::Ones(6);
  weights.head(3).setConstant(2.0);
  const WeightedGram weighted(std::make_unique<PointGram<double>>(x, Kernel::rbf(1.0)), weights);
  const PointGram<double> plain(repeated, Kernel::rbf(1.0));
  const Vector f = x.col(0);
  Vector f_repeated(9);
  f_repeated << f, f.head(3);
  const std::vector<double> scales{1.0, 2.0};
  const auto a = multiscale_smoothness(weighted, f, scales);
  const auto b = multiscale_smoothness(plain, f_repeated, scales);
  for (std::size_t k = 0; k < scales.size(); ++k) {
    EXPECT_NEAR(a[k].ratio, b[k].ratio, 1e-7 * b[k].ratio);
    EXPECT_NEAR(a[k].variance, b[k].variance, 1e-10);
  }
}

}  // namespace
}  // namespace stkr::rkhs_norm_test
