#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dense_reference.hpp"
#include "gram/dense_gram.hpp"
#include "runtime/random.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/point_gram.hpp"
#include "stkr/theory/fit_estimates.hpp"

namespace stkr::cross_fit_test {
namespace {

TEST(CrossFit, IsTheVarianceOfTheMean) {
  // Each "fit" is a constant: 1, 2, 3, 6 with mean 3; Σ(f_b - f̄)² = 14.
  std::vector<double> constants{1.0, 2.0, 3.0, 6.0};
  std::size_t next = 0;
  const PartFit fit = [&](std::span<const Index>) {
    return Matrix(Matrix::Constant(20, 1, constants[next++]));
  };
  const std::vector<Index> labeled{0, 7};
  const CrossFit result = cross_fit(20, labeled, fit);
  EXPECT_NEAR(result.estimate, 14.0 / 12.0, 1e-12);
  ASSERT_EQ(result.terms.size(), 4u);
  EXPECT_NEAR(result.terms[3], 3.0, 1e-12);
  // Terms 4/3, 1/3, 0, 3 around 7/6.
  EXPECT_NEAR(result.standard_error,
              std::sqrt((1.0 / 36 + 25.0 / 36 + 49.0 / 36 + 121.0 / 36) / 3.0 / 4.0), 1e-12);
  EXPECT_NEAR(result.mean(5, 0), 3.0, 1e-12);
}

TEST(CrossFit, GivesEveryUnlabeledSampleToOnePart) {
  const std::vector<Index> labeled{5, 2, 11};
  std::vector<std::vector<Index>> chosen;
  const PartFit fit = [&](std::span<const Index> samples) {
    chosen.emplace_back(samples.begin(), samples.end());
    return Matrix(Matrix::Zero(17, 2));
  };
  const CrossFit result = cross_fit(17, labeled, fit, {.parts = 3}, {.seed = 4});
  std::vector<int> seen(17, 0);
  for (std::size_t b = 0; b < 3; ++b) {
    EXPECT_TRUE(std::is_sorted(chosen[b].begin(), chosen[b].end()));
    for (const Index i : labeled) {
      EXPECT_TRUE(std::binary_search(chosen[b].begin(), chosen[b].end(), i));
    }
    EXPECT_EQ(chosen[b].size(), result.parts[b].size() + 3);
    EXPECT_NEAR(static_cast<double>(result.parts[b].size()), 14.0 / 3.0, 1.0);
    for (const Index i : result.parts[b]) ++seen[static_cast<std::size_t>(i)];
  }
  for (Index i = 0; i < 17; ++i) {
    EXPECT_EQ(seen[static_cast<std::size_t>(i)], i == 5 || i == 2 || i == 11 ? 0 : 1);
  }
  EXPECT_EQ(cross_fit(17, labeled, fit, {.parts = 3}, {.seed = 4}).parts, result.parts);
  EXPECT_NE(cross_fit(17, labeled, fit, {.parts = 3}, {.seed = 5}).parts, result.parts);
}

TEST(CrossFit, WeighsTheSamples) {
  double sign = 1.0;
  const PartFit fit = [&](std::span<const Index>) {
    Matrix values = Matrix::Zero(4, 1);
    values(3, 0) = sign;
    sign = -sign;
    return values;
  };
  const std::vector<Index> labeled{0};
  Vector weights(4);
  weights << 1.0, 1.0, 0.0, 6.0;  // p_3 = 3/4: (1/2)(3/4 + 3/4)
  EXPECT_NEAR(cross_fit(4, labeled, fit, {.parts = 2, .weights = weights}).estimate, 0.75, 1e-12);
}

TEST(CrossFit, IsUnbiasedForTheErrorOfAMean) {
  // f̂_b is the mean of a part of x; with all samples its squared error has expectation 1/m.
  Random random(3);
  const Index m = 60, trials = 2000;
  double sum = 0.0;
  const std::vector<Index> labeled{0};
  for (Index trial = 0; trial < trials; ++trial) {
    Vector x(m + 1);
    for (double& value : x) value = random.normal();
    const PartFit fit = [&](std::span<const Index> chosen) {
      double mean = 0.0;
      for (const Index i : chosen.subspan(1)) {  // without the labeled sample
        mean += x[i] / static_cast<double>(chosen.size() - 1);
      }
      return Matrix(Matrix::Constant(m + 1, 1, mean));
    };
    sum += cross_fit(m + 1, labeled, fit, {.parts = 5}, {.seed = 7}).estimate;
  }
  EXPECT_NEAR(sum / trials, 1.0 / m, 0.05 / m);  // its standard error is 0.016/m
}

// A mean over all samples, labeled ones included: `adjusted` has the expectation of its squared
// error, 1/(n+m), `estimate` less.
TEST(CrossFit, CountsTheLabeledSamples) {
  Random random(5);
  const Index samples = 60, trials = 2000;
  std::vector<Index> labeled;
  for (Index i = 0; i < 20; ++i) labeled.push_back(i);
  double adjusted = 0.0, plain = 0.0;
  for (Index trial = 0; trial < trials; ++trial) {
    Vector x(samples);
    for (double& value : x) value = random.normal();
    const PartFit fit = [&](std::span<const Index> chosen) {
      double mean = 0.0;
      for (const Index i : chosen) mean += x[i] / static_cast<double>(chosen.size());
      return Matrix(Matrix::Constant(samples, 1, mean));
    };
    const CrossFit found = cross_fit(samples, labeled, fit, {.parts = 4}, {.seed = 7});
    adjusted += found.adjusted / trials;
    plain += found.estimate / trials;
  }
  EXPECT_NEAR(adjusted, 1.0 / samples, 0.06 / samples);
  EXPECT_LT(plain, 0.5 / samples);
}

TEST(CrossFit, RefusesWhatItCannotSplit) {
  const std::vector<Index> labeled{0, 1};
  const PartFit fit = [](std::span<const Index>) { return Matrix(Matrix::Zero(5, 1)); };
  EXPECT_THROW(cross_fit(5, labeled, fit, {.parts = 1}), ValueError);
  EXPECT_THROW(cross_fit(5, labeled, fit, {.parts = 4}), ValueError);
  EXPECT_THROW(cross_fit(6, labeled, fit, {.parts = 2}), ShapeError);
  EXPECT_THROW(cross_fit(5, labeled, fit, {.parts = 2, .weights = Vector::Ones(3)}), ShapeError);
  EXPECT_THROW(cross_fit(5, labeled, fit, {.parts = 2, .weights = -Vector::Ones(5)}), ValueError);
}

// Every part by explicit matrices.
TEST(CrossFitStkr, AgreesWithDenseFitsOfTheParts) {
  Random random(11);
  Matrix points(40, 2);
  for (double& value : points.reshaped()) value = random.normal();
  const PointGram<double> gram(points, Kernel::rbf(1.0), 1);
  const std::vector<Index> labeled{3, 30, 12};
  Matrix y(3, 2);
  y << 1.0, 0.5, -1.0, 0.0, 0.3, 2.0;
  StkrOptions options;
  options.transform = SpectralTransform::power(2.0);
  options.beta = 0.05;
  const CrossFit result = cross_fit_stkr(gram, labeled, y, options, {.parts = 3}, {.threads = 1});

  std::vector<Index> all(40);
  for (Index i = 0; i < 40; ++i) all[static_cast<std::size_t>(i)] = i;
  const Matrix kernel = gram.block(all, all);
  std::vector<Matrix> values;
  for (const std::vector<Index>& part : result.parts) {
    std::vector<Index> chosen = part;
    chosen.insert(chosen.end(), labeled.begin(), labeled.end());
    std::sort(chosen.begin(), chosen.end());
    const Matrix columns = reference::columns_of(kernel, chosen);
    const reference::Dense dense(reference::rows_of(columns, chosen));
    reference::Samples places;
    for (const Index i : labeled) {
      places.push_back(std::find(chosen.begin(), chosen.end(), i) - chosen.begin());
    }
    const reference::Transform square{.s = [](double x) { return x * x; },
                                      .g = [](double x) { return x; }};
    values.push_back(columns * dense.fit(square, places, y, 0.05).coefficients);
  }
  const Matrix mean = (values[0] + values[1] + values[2]) / 3.0;
  double expected = 0.0;
  for (const Matrix& now : values) expected += (now - mean).squaredNorm() / 40.0 / 6.0;
  EXPECT_NEAR(result.estimate, expected, 1e-8 * expected);
  EXPECT_LT((result.mean - mean).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(CrossFitStkr, NeedsAFixedRidge) {
  const DenseGram gram(Matrix(Matrix::Identity(6, 6)));
  const std::vector<Index> labeled{0, 1};
  StkrOptions options;
  options.choose_ridge = true;
  EXPECT_THROW(cross_fit_stkr(gram, labeled, Matrix::Ones(2, 1), options, {.parts = 2}),
               ValueError);
}

}  // namespace
}  // namespace stkr::cross_fit_test
