#include "stkr/theory/transformed_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "gram/weighted_gram.hpp"
#include "gram_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/neighbor_graph.hpp"
#include "transform_cases.hpp"

namespace stkr::transformed_kernel_test {
namespace {

using cases::GramCase;
using cases::kSamples;
using cases::TransformCase;

std::vector<Index> every_sample(Index n = kSamples) {
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

// s(δ) and q(δ) = s'(δ)
std::pair<double, double> at_self_term(const TransformCase& t, double delta) {
  if (t.exact.top > 0) return {0.0, 0.0};  // the cut lies above δ
  if (delta == 0.0) return {0.0, t.exact.g(0.0)};
  const double step = 1e-5;
  return {t.exact.s(delta), (t.exact.s(delta + step) - t.exact.s(delta - step)) / (2.0 * step)};
}

class TransformedKernelOfEveryGram : public testing::TestWithParam<GramCase> {};

TEST_P(TransformedKernelOfEveryGram, GivesNewSamplesTheValuesOfTheirTwins) {
  const auto n = static_cast<double>(kSamples);
  const auto gram = GetParam().make(1);
  const auto dense = GetParam().dense();
  const double delta = GetParam().self_term;
  KernelSamples samples{.known = every_sample(), .fresh = GetParam().as_new()};
  const Matrix eye = Matrix::Identity(kSamples, kSamples);
  const Matrix shared = GetParam().kernel - n * delta * eye;
  const auto cross = gram->cross_kernel();
  std::optional<Matrix> among = cross->place(*samples.fresh)->among();
  if (!among) samples.among = among = shared;
  for (const TransformCase& t : cases::transform_cases(*gram, dense)) {
    if (t.exact.poisson) continue;
    SCOPED_TRACE(t.name);
    const Matrix known = dense.transformed(t.exact);
    const auto [value, slope] = at_self_term(t, delta);
    const TransformedKernel found = transformed_kernel(*gram, t.transform, samples);
    const double scale = known.cwiseAbs().maxCoeff();
    const double tolerance = 10.0 * t.coefficient_tolerance * scale;
    EXPECT_LT((found.values.topLeftCorner(kSamples, kSamples) - known).cwiseAbs().maxCoeff(),
              1e-8 * scale);
    EXPECT_LT((found.values.bottomLeftCorner(kSamples, kSamples) - (known - n * value * eye))
                  .cwiseAbs()
                  .maxCoeff(),
              tolerance);
    // They are not connected with each other if the gram is a graph.
    const Matrix expected = known + slope * (*among - shared);
    EXPECT_LT((found.values.bottomRightCorner(kSamples, kSamples) - expected).cwiseAbs().maxCoeff(),
              tolerance);
    EXPECT_EQ((found.values - found.values.transpose()).cwiseAbs().maxCoeff(), 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Grams, TransformedKernelOfEveryGram,
                         testing::ValuesIn(cases::gram_cases()), cases::CaseName());

struct NewPoints {
  Matrix x = random_matrix(kSamples, 3, 21), z = random_matrix(5, 3, 22);
  PointGram<double> gram{x, Kernel::rbf(1.5)};
  Matrix rows{5, kSamples}, among{5, 5};

  NewPoints() {
    const auto k = cases::rbf(1.5);
    for (Index i = 0; i < 5; ++i) {
      for (Index j = 0; j < kSamples; ++j) rows(i, j) = k(z.row(i), x.row(j));
      for (Index j = 0; j < 5; ++j) among(i, j) = k(z.row(i), z.row(j));
    }
  }
};

TEST(TransformedKernel, IsThePapersBetweenNewSamples) {
  const NewPoints data;
  const auto n = static_cast<double>(kSamples);
  const Matrix s = cases::kernel_matrix(data.x, cases::rbf(1.5)) / n;
  const KernelSamples samples{.fresh = NewSamples{data.z}};
  const auto kernel = [&](const SpectralTransform& t) {
    return transformed_kernel(data.gram, t, samples).values;
  };
  // eqn:hatks-def: K̂¹ = K, K̂² = v vᵀ/N, K̂^p = v S^(p-2) vᵀ/N
  EXPECT_LT((kernel(SpectralTransform::power(1)) - data.among).cwiseAbs().maxCoeff(), 1e-12);
  const Matrix second = data.rows * data.rows.transpose() / n;
  EXPECT_LT((kernel(SpectralTransform::power(2)) - second).cwiseAbs().maxCoeff(), 1e-12);
  const Matrix fourth = data.rows * s * s * data.rows.transpose() / n;
  EXPECT_LT((kernel(SpectralTransform::power(4)) - fourth).cwiseAbs().maxCoeff(), 1e-12);
  const reference::Spectrum spectrum(s);
  const Matrix coordinates = data.rows * spectrum.vectors;
  // K^2.5, whose h = √λ is not smooth, and the inverse Laplacian, h = η/(1 - ηλ)
  const Matrix rough = coordinates * spectrum.values.cwiseMax(0.0).cwiseSqrt().asDiagonal() *
                       coordinates.transpose() / n;
  EXPECT_LT((kernel(SpectralTransform::power(2.5)) - rough).cwiseAbs().maxCoeff(), 1e-8);
  const double eta = 0.9 / spectrum.values[0];
  const Vector h = spectrum.values.unaryExpr([=](double l) { return eta / (1.0 - eta * l); });
  const Matrix laplacian =
      data.among + Matrix(coordinates * h.asDiagonal() * coordinates.transpose() / n);
  EXPECT_LT((kernel(SpectralTransform::inverse_laplacian(eta)) - laplacian).cwiseAbs().maxCoeff(),
            1e-8);
}

TEST(TransformedKernel, BetweenTwoSetsIsABlockOfTheWhole) {
  const NewPoints data;
  const auto t = SpectralTransform::diffusion(2.0);
  const KernelSamples rows{.known = {3, 1}, .fresh = NewSamples{Matrix(data.z.topRows(2))}};
  const KernelSamples columns{.known = {5}, .fresh = NewSamples{Matrix(data.z.bottomRows(3))}};
  const KernelSamples all{.known = {3, 1, 5}, .fresh = NewSamples{data.z}};
  const Matrix whole = transformed_kernel(data.gram, t, all).values;
  const Matrix found = transformed_kernel(data.gram, t, rows, columns).values;
  ASSERT_EQ(found.rows(), 4);
  ASSERT_EQ(found.cols(), 4);
  const std::vector<Index> r{0, 1, 3, 4}, c{2, 5, 6, 7};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(found(i, j), whole(r[i], c[j]), 1e-10);
  }
}

TEST(TransformedKernel, GivesAPointOfANeighborGraphThatIsKnownItsOwnValues) {
  Matrix x = random_matrix(40, 3, 3);
  x.row(7) = x.row(11);
  const NeighborGraphGram gram(x, {.k = 4});
  const auto t = SpectralTransform::inverse_laplacian(0.9);
  const KernelSamples samples{.known = every_sample(40),
                              .fresh = NewSamples{Matrix(x.middleRows(5, 3))}};
  const Matrix k = transformed_kernel(gram, t, samples).values;
  for (Index j = 0; j < 40; ++j) {
    EXPECT_NEAR(k(40, j), k(5, j), 1e-8);
    EXPECT_NEAR(k(42, j), 0.5 * (k(7, j) + k(11, j)), 1e-8);  // two known points are equal to it
  }
  EXPECT_NEAR(k(40, 40), k(5, 5), 1e-8);
  EXPECT_NEAR(k(40, 41), k(5, 6), 1e-8);
}

TEST(TransformedKernel, OfWeightedSamplesIsTheOneOfTheirMeasure) {
  const NewPoints data;
  const auto n = static_cast<double>(kSamples);
  Vector weights = Vector::LinSpaced(kSamples, 0.5, 1.5);
  const WeightedGram gram(std::make_unique<PointGram<double>>(data.x, Kernel::rbf(1.5)), weights);
  const Matrix k = cases::kernel_matrix(data.x, cases::rbf(1.5));
  const Matrix w = (weights / n).asDiagonal();
  // K̂² = ∫ K K dp for p_i = w_i/N
  const KernelSamples samples{.known = every_sample(), .fresh = NewSamples{data.z}};
  const Matrix found = transformed_kernel(gram, SpectralTransform::power(2), samples).values;
  EXPECT_LT((found.topLeftCorner(kSamples, kSamples) - k * w * k).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((found.bottomLeftCorner(5, kSamples) - data.rows * w * k).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT(
      (found.bottomRightCorner(5, 5) - data.rows * w * data.rows.transpose()).cwiseAbs().maxCoeff(),
      1e-10);
}

TEST(TransformedKernel, KeepsEigenvaluesBelowTheSelfTerm) {
  const Matrix w = cases::two_component_graph(kSamples, 12);
  const GramCase lazy = cases::graph_case("lazy", w, GraphNormalization::lazy_walk);
  const auto gram = lazy.make(1);
  const reference::Dense dense = lazy.dense();
  // The last positive gap far below 1/2.
  Index d = kSamples / 2;
  for (Index k = kSamples / 2; k < kSamples - 2; ++k) {
    if (dense.values()[k - 1] < 0.45 && dense.values()[k - 1] - dense.values()[k] > 1e-3) d = k;
  }
  ASSERT_LT(dense.values()[d - 1], 0.45);
  const KernelSamples samples{.known = every_sample(), .fresh = lazy.as_new()};
  const Matrix found = transformed_kernel(*gram, SpectralTransform::truncation(d), samples).values;
  const Matrix known = dense.transformed({.top = d});
  const Matrix eye = Matrix::Identity(kSamples, kSamples);
  const double n = kSamples;
  EXPECT_LT((found.topLeftCorner(kSamples, kSamples) - known).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_LT(
      (found.bottomLeftCorner(kSamples, kSamples) - (known - 0.5 * n * eye)).cwiseAbs().maxCoeff(),
      1e-6);
  const Matrix shared = lazy.kernel - 0.5 * n * eye;
  EXPECT_LT((found.bottomRightCorner(kSamples, kSamples) - (known - shared)).cwiseAbs().maxCoeff(),
            1e-6);
}

// A gram of one's own whose new samples know nothing but their products.
class OwnGram : public GramOperator {
 public:
  explicit OwnGram(Matrix points) : gram_(std::move(points), Kernel::rbf(1.5)) {}
  Index size() const override { return gram_.size(); }
  void apply(ConstMatrixRef x, MatrixRef y) const override { gram_.apply(x, y); }
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override {
    return gram_.block(rows, columns);
  }
  std::unique_ptr<CrossKernel> cross_kernel() const override {
    return std::make_unique<Cross>(gram_.cross_kernel());
  }

 private:
  class Placed : public PlacedSamples {
   public:
    explicit Placed(std::unique_ptr<PlacedSamples> inner) : inner_(std::move(inner)) {}
    Matrix apply(ConstMatrixRef c) const override { return inner_->apply(c); }

   private:
    std::unique_ptr<PlacedSamples> inner_;
  };
  class Cross : public CrossKernel {
   public:
    explicit Cross(std::unique_ptr<CrossKernel> inner) : inner_(std::move(inner)) {}
    Index known() const override { return inner_->known(); }
    std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const override {
      return std::make_unique<Placed>(inner_->place(samples));
    }
    void save(CrossKernelSink&) const override {}

   private:
    std::unique_ptr<CrossKernel> inner_;
  };
  PointGram<double> gram_;
};

TEST(TransformedKernel, NeedsOnlyProductsOfAGramOfOnesOwn) {
  const NewPoints data;
  const OwnGram own(data.x);
  const auto cube = SpectralTransform::power(3);
  const KernelSamples samples{.known = {0, 2}, .fresh = NewSamples{data.z}};
  const Matrix expected = transformed_kernel(data.gram, cube, samples).values;
  EXPECT_LT((transformed_kernel(own, cube, samples).values - expected).cwiseAbs().maxCoeff(),
            1e-12);
}

TEST(TransformedKernel, SaysHowWellItApproximatesARoughTransform) {
  const NewPoints data;
  const KernelSamples samples{.fresh = NewSamples{data.z}};
  const auto rough = SpectralTransform::power(2.5);
  const TransformedKernel exact = transformed_kernel(data.gram, rough, samples);
  // As with more samples than can be diagonalized.
  const TransformedKernel series =
      transformed_kernel(data.gram, rough, samples, {.dense_below = 0});
  EXPECT_EQ(exact.error, 0.0);
  EXPECT_GT(series.error, 0.0);
  EXPECT_LT((series.values - exact.values).cwiseAbs().maxCoeff(),
            1e-5 * exact.values.cwiseAbs().maxCoeff());
}

TEST(TransformedKernel, AsksForWhatKernelRowsDoNotSay) {
  const Matrix k = cases::kernel_matrix(random_matrix(6, 2, 1), cases::rbf(1.0));
  const DenseGram gram(k, 1);
  KernelSamples samples{.fresh = NewSamples{Matrix(k.topRows(2))}};
  // K̂² needs rows only.
  EXPECT_NO_THROW(transformed_kernel(gram, SpectralTransform::power(2), samples));
  EXPECT_THROW(transformed_kernel(gram, SpectralTransform::power(1), samples), ValueError);
  samples.among = Matrix::Zero(3, 3);
  EXPECT_THROW(transformed_kernel(gram, SpectralTransform::power(1), samples), ShapeError);
  EXPECT_THROW(transformed_kernel(gram, SpectralTransform::poisson(), samples), ValueError);
  EXPECT_THROW(transformed_kernel(gram, SpectralTransform::power(2), {.known = {6}}), ValueError);
}

TEST(DiffusionDistances, AreTheOnesOfTheEigenfunctions) {
  const GramCase points = cases::gram_cases().front();
  const auto gram = points.make(1);
  const reference::Spectrum spectrum(points.kernel / static_cast<double>(kSamples));
  for (const double p : {1.0, 1.5, 2.0, 3.7}) {
    const Matrix d = diffusion_distances(*gram, p, {.known = every_sample()});
    for (Index i = 0; i < kSamples; ++i) {
      for (Index j = 0; j < kSamples; ++j) {
        double square = 0.0;  // Σ λ^p (ψ(x) - ψ(x'))², ψ = √N u
        for (Index k = 0; k < kSamples; ++k) {
          square += kSamples * std::pow(std::max(spectrum.values[k], 0.0), p) *
                    std::pow(spectrum.vectors(i, k) - spectrum.vectors(j, k), 2);
        }
        EXPECT_NEAR(d(i, j), std::sqrt(square), 1e-6) << p;
      }
    }
  }
}

TEST(KernelDistances, RefuseAnIndefiniteKernel) {
  Matrix k = Matrix::Identity(2, 2);
  k(0, 1) = k(1, 0) = 2.0;
  EXPECT_THROW(kernel_distances(k), ValueError);
  EXPECT_THROW(kernel_distances(Matrix::Ones(2, 3)), ShapeError);
  EXPECT_EQ(kernel_distances(Matrix::Ones(2, 2)).maxCoeff(), 0.0);
}

}  // namespace
}  // namespace stkr::transformed_kernel_test
