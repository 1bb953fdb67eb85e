// Checks the paper's statements about small examples.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numeric>

#include "dense_reference.hpp"
#include "gram_cases.hpp"
#include "stkr/estimator/stkr.hpp"

namespace stkr::paper_test {
namespace {

using namespace cases;
using reference::relative_error;

// fig:graph-demo. x1, x2, x3 are labeled; every edge has an unlabeled end, x4 or x6.
enum SampleGraph : Index { x1, x2, x3, x4, x5, x6 };

Matrix sample_graph() {
  Matrix w = Matrix::Zero(6, 6);
  const std::pair<Index, Index> edges[] = {{x1, x4}, {x2, x4}, {x5, x4},
                                           {x2, x6}, {x5, x6}, {x6, x3}};
  for (const auto& [i, j] : edges) w(i, j) = w(j, i) = 1.0;
  return w;
}

const std::vector<Index> kLabeled{x1, x2, x3};
constexpr double kBeta = 0.05;

Fit fit_on(const Matrix& w, const SpectralTransform& transform) {
  const GraphGram gram(to_csr(w), {.normalization = GraphNormalization::adjacency});
  StkrOptions options;
  options.transform = transform;
  options.beta = kBeta;
  // Column j is the response to label j alone.
  return fit_stkr(gram, kLabeled, Matrix::Identity(3, 3), options);
}

TEST(SampleGraph, HasZeroImpactOnKernelRidgeRegression) {
  const GraphGram gram(to_csr(sample_graph()), {.normalization = GraphNormalization::adjacency});
  EXPECT_EQ(gram.block(kLabeled, kLabeled), Matrix::Zero(3, 3));  // G_{K,n} = 0
  const Fit fit = fit_on(sample_graph(), SpectralTransform::power(1));
  // A = nβI: α = y/(nβ), and no label affects another labeled sample.
  EXPECT_LT(relative_error(fit.alpha, Matrix::Identity(3, 3) / (3 * kBeta)), 1e-15);
  EXPECT_EQ(fit.fitted.topRows(3), Matrix::Zero(3, 3));
  // Three isolated nodes give the same predictor.
  const Fit isolated = fit_on(Matrix::Zero(3, 3), SpectralTransform::power(1));
  EXPECT_EQ(fit.alpha, isolated.alpha);
  EXPECT_EQ(fit.fitted.topRows(3), isolated.fitted);
  EXPECT_EQ(fit.coefficients.topRows(3), isolated.coefficients);
  EXPECT_EQ(fit.coefficients.bottomRows(3), Matrix::Zero(3, 3));
  // x4 and x6 are adjacent to labels, x5 is not.
  EXPECT_EQ(fit.fitted.row(x4), fit.alpha.row(x1) + fit.alpha.row(x2));
  EXPECT_EQ(fit.fitted.row(x6), fit.alpha.row(x2) + fit.alpha.row(x3));
  EXPECT_EQ(fit.fitted.row(x5), Matrix::Zero(1, 3));
}

TEST(SampleGraph, IgnoresEdgesBetweenUnlabeledNodesInKernelRidgeRegression) {
  Matrix cut = sample_graph();
  cut(x4, x5) = cut(x5, x4) = cut(x5, x6) = cut(x6, x5) = 0.0;
  const Fit fit = fit_on(sample_graph(), SpectralTransform::power(1));
  EXPECT_EQ(fit.fitted, fit_on(cut, SpectralTransform::power(1)).fitted);
  EXPECT_NE(fit_on(sample_graph(), SpectralTransform::power(2)).fitted,
            fit_on(cut, SpectralTransform::power(2)).fitted);
}

TEST(SampleGraph, ConnectsItsLabeledNodesByTheSquareOfTheKernel) {
  const Fit fit = fit_on(sample_graph(), SpectralTransform::power(2));
  // K² = W²/N: x1 and x2 meet in x4, x2 and x3 in x6.
  Matrix a(3, 3);
  a << 1, 1, 0, 1, 2, 1, 0, 1, 1;
  a = a / 6.0 + 3 * kBeta * Matrix::Identity(3, 3);
  const Matrix alpha = a.inverse();
  EXPECT_LT(relative_error(fit.alpha, alpha), 1e-12);
  // Every label now affects every labeled node, and x5, which is two steps from all of them.
  EXPECT_GT(fit.fitted.topRows(3).cwiseAbs().minCoeff(), 1e-3);
  EXPECT_GT(fit.fitted.row(x5).cwiseAbs().minCoeff(), 1e-3);
  const Matrix at_x5 = (alpha.row(x1) + 2 * alpha.row(x2) + alpha.row(x3)) / 6.0;
  EXPECT_LT(relative_error(fit.fitted.row(x5), at_x5), 1e-12);
  // The graph is bipartite: no walk of two steps leads from a label to x4 or x6.
  EXPECT_EQ(fit.fitted.row(x4), Matrix::Zero(1, 3));
  EXPECT_EQ(fit.fitted.row(x6), Matrix::Zero(1, 3));
}

TEST(SampleGraph, CarriesEveryLabelEverywhereWithOddAndEvenPowers) {
  for (const auto& transform :
       {SpectralTransform::polynomial({0.5, 1.0}), SpectralTransform::inverse_laplacian(1.5)}) {
    const Fit fit = fit_on(sample_graph(), transform);
    EXPECT_GT(fit.fitted.cwiseAbs().minCoeff(), 1e-3) << fit.summary.transform;
  }
}

// app:proof-inv-lap-connect, for W = B Bᵀ with B ≥ 0 (B is N × rank).
void expect_laplacian_is_difference_of_norms(Index nodes, Index rank, double eta) {
  const Matrix b = random_matrix(nodes, rank, 61).cwiseAbs();
  const Matrix w = b * b.transpose();
  const Vector degree = w.rowwise().sum();
  const double trace = degree.sum();
  const GraphGram gram(to_csr(0.5 * (w + w.transpose())),
                       {.normalization = GraphNormalization::probability});
  std::vector<Index> all(nodes);
  std::iota(all.begin(), all.end(), 0);
  const Matrix k = gram.block(all, all);
  EXPECT_LT(relative_error(product(gram, Matrix::Identity(nodes, nodes)), k / double(nodes)),
            1e-14);

  const Vector root = degree.cwiseSqrt().cwiseInverse();
  const reference::Spectrum walk(root.asDiagonal() * w * root.asDiagonal());
  const Vector half = walk.values.cwiseMax(0.0).cwiseSqrt();
  const Matrix square_root = walk.vectors * half.asDiagonal() * walk.vectors.transpose();
  const Matrix y_hat = square_root * random_matrix(nodes, 1, 62);
  const Matrix f = std::sqrt(trace) * root.asDiagonal() * square_root * y_hat;
  const Matrix laplacian = Matrix::Identity(nodes, nodes) - eta * square_root * square_root;

  // ‖f‖²_K = fᵀ G_K⁺ f for f in the range of G_K; ‖f‖²_P = Σ p_i f_i².
  const reference::Spectrum spectrum(k);
  double norm_k = 0.0;
  for (Index i = 0; i < rank; ++i) {
    const double coordinate = spectrum.vectors.col(i).dot(f.col(0));
    norm_k += coordinate * coordinate / spectrum.values[i];
  }
  const double norm_p = (f.col(0).array().square() * degree.array()).sum() / trace;
  const double quadratic = (y_hat.transpose() * laplacian * y_hat)(0, 0);
  EXPECT_NEAR(quadratic, norm_k - eta * norm_p, 1e-8 * norm_k);
}

TEST(ProbabilityKernel, TurnsTheLaplacianIntoADifferenceOfNorms) {
  for (const double eta : {0.3, 0.99, 1.0}) {
    expect_laplacian_is_difference_of_norms(8, 8, eta);
    expect_laplacian_is_difference_of_norms(9, 4, eta);  // K singular
  }
}

}  // namespace
}  // namespace stkr::paper_test
