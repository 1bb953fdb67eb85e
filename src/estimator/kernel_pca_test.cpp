#include "estimator/kernel_pca.hpp"

#include <gtest/gtest.h>

#include "gram_cases.hpp"
#include "stkr/error.hpp"
#include "transform_cases.hpp"

namespace stkr::kernel_pca_test {
namespace {

using namespace cases;
using reference::relative_error;

const std::vector<Index> kLabeled{17, 2, 5, 11, 0, 8};

class KernelPcaOfEveryGram : public testing::TestWithParam<GramCase> {
 protected:
  std::unique_ptr<GramOperator> gram = GetParam().make(1);
  reference::Dense dense = GetParam().dense();
  reference::Samples unlabeled = reference::complement(kLabeled, kSamples);
  Matrix block = reference::rows_of(reference::columns_of(dense.kernel(), unlabeled), unlabeled);
  Index dimension = reference::Dense(block).widest_gap(2, 5);
};

INSTANTIATE_TEST_SUITE_P(Grams, KernelPcaOfEveryGram, testing::ValuesIn(gram_cases()), CaseName());

TEST_P(KernelPcaOfEveryGram, HasOrthonormalFunctionsWithTheVarianceOfTheirEigenvalues) {
  const KernelPca pca =
      kernel_pca(*gram, kLabeled, {.dimension = dimension, .literal_top_d = true});
  const auto m = double(unlabeled.size());
  EXPECT_EQ(pca.unlabeled, unlabeled);
  // ⟨ψ̂_i, ψ̂_j⟩_K = v_iᵀ G_{K,m} v_j = δ_ij
  EXPECT_LT(relative_error(pca.vectors.transpose() * block * pca.vectors,
                           Matrix::Identity(dimension, dimension)),
            1e-8);
  // G_{K,m} v_i = m λ̃_i v_i, and Σ_j ψ̂_i(x_{n+j})² = m λ̃_i
  const Matrix psi = block * pca.vectors;
  EXPECT_LT(relative_error(psi, m * pca.vectors * pca.eigenvalues.asDiagonal()), 1e-8);
  EXPECT_LT(relative_error(psi.colwise().squaredNorm().transpose(), m * pca.eigenvalues), 1e-8);
  for (Index i = 1; i < dimension; ++i) EXPECT_GE(pca.eigenvalues[i - 1], pca.eigenvalues[i]);
}

TEST_P(KernelPcaOfEveryGram, FitsLikeTheReferenceAndUsesOnlyUnlabeledSamples) {
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 81);
  for (const double beta : {1e-3, 0.3}) {
    const reference::PcaSolution exact = dense.kernel_pca(dimension, kLabeled, y, beta);
    const Fit fit = fit_kernel_pca(*gram, kLabeled, y,
                                   {.dimension = dimension, .beta = beta, .literal_top_d = true});
    EXPECT_TRUE(fit.summary.solve.converged()) << fit.summary.solve.message;
    EXPECT_LT(relative_error(fit.coefficients, exact.coefficients), 1e-8);
    EXPECT_LT(relative_error(fit.fitted, exact.fitted), 1e-8);
    for (const Index i : kLabeled) EXPECT_EQ(fit.coefficients.row(i).norm(), 0.0);
    EXPECT_EQ(fit.summary.method, "kernel-pca");
  }
}

TEST_P(KernelPcaOfEveryGram, KeepsItsFunctionsWhereAsked) {
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 83);
  const KernelPcaOptions options{
      .dimension = dimension, .literal_top_d = true, .keep_embedding = true};
  const Fit fit = fit_kernel_pca(*gram, kLabeled, y, options);
  ASSERT_TRUE(fit.embedding);
  const KernelPca pca = kernel_pca(*gram, kLabeled, options);
  EXPECT_LT(relative_error(fit.embedding->eigenvalues, pca.eigenvalues), 1e-12);
  // Mean square 1 over the unlabeled samples.
  const Matrix psi = reference::rows_of(fit.embedding->values, unlabeled);
  EXPECT_LT(relative_error(psi.transpose() * psi / double(unlabeled.size()),
                           Matrix::Identity(dimension, dimension)),
            1e-7);
  EXPECT_FALSE(fit_kernel_pca(*gram, kLabeled, y, {.dimension = dimension}).embedding);
}

TEST_P(KernelPcaOfEveryGram, CanBeOfAllSamples) {
  std::vector<Index> all(kSamples);
  for (Index i = 0; i < kSamples; ++i) all[i] = i;
  const Index d = dense.widest_gap(2, 5);
  const KernelPca pca =
      kernel_pca(*gram, all, {.dimension = d, .all_samples = true, .literal_top_d = true});
  EXPECT_EQ(pca.unlabeled, all);
  EXPECT_LT(relative_error(pca.eigenvalues, dense.values().head(d)), 1e-8);
}

TEST_P(KernelPcaOfEveryGram, PredictsAtTheTrainingSamplesWhatItFitted) {
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 82);
  const Fit fit = fit_kernel_pca(
      *gram, kLabeled, y, {.dimension = dimension, .literal_top_d = true, .keep_embedding = true});
  const auto cross = gram->cross_kernel();
  // ψ̂ was computed from the unlabeled samples only, so labeled ones count as new.
  const NewSamples samples = GetParam().as_new();
  EXPECT_LT(relative_error(cross->apply(samples, fit.coefficients), fit.fitted), 1e-8);
  EXPECT_LT(
      relative_error(cross->apply(samples, fit.embedding->coefficients), fit.embedding->values),
      1e-8);
}

// Components without a label have the eigenvalue λ₁ and would use up d.
TEST(KernelPca, TakesTheLeadingFunctionsOfWhatLabelsReach) {
  const Matrix w = two_component_graph(kSamples, 12);
  const std::vector<Index> labeled{2, 5, 11, 0};  // all among 0...15
  std::vector<Index> reached(16), places;
  for (Index i = 0; i < 16; ++i) reached[i] = i;
  for (const auto normalization : {GraphNormalization::symmetric, GraphNormalization::lazy_walk}) {
    const GraphGram gram(to_csr(w), {.normalization = normalization});
    const Matrix y = random_matrix(4, 2, 84);
    const Fit fit = fit_kernel_pca(gram, labeled, y, {.dimension = 3, .beta = 0.1});
    // The same on the component alone, where K = N·S has a different N.
    const reference::Dense alone(graph_kernel(w.topLeftCorner(16, 16), normalization),
                                 normalization == GraphNormalization::lazy_walk ? 0.5 : 0.0);
    const double shrink = 16.0 / kSamples;
    const reference::PcaSolution exact = alone.kernel_pca(3, labeled, y, 0.1 * shrink);
    EXPECT_LT(relative_error(fit.fitted.topRows(16), exact.fitted), 1e-8);
    EXPECT_EQ(fit.fitted.bottomRows(kSamples - 16).norm(), 0.0);
    // Literally, both components have an eigenvector of the largest eigenvalue.
    const Fit literal =
        fit_kernel_pca(gram, labeled, y, {.dimension = 3, .beta = 0.1, .literal_top_d = true});
    EXPECT_GT(relative_error(literal.fitted.topRows(16), exact.fitted), 1e-3);
  }
}

TEST(KernelPca, RefusesDimensionsItCannotHave) {
  const auto linear = gram_cases()[4].make(1);  // rank 3
  const Matrix y = Matrix::Ones(static_cast<Index>(kLabeled.size()), 1);
  EXPECT_NO_THROW(kernel_pca(*linear, kLabeled, {.dimension = 3}));
  for (const Index d : {Index{-1}, Index{0}, Index{4}, kSamples - 6, kSamples - 5, kSamples + 1}) {
    try {
      fit_kernel_pca(*linear, kLabeled, y, {.dimension = d});
      FAIL() << "d = " << d << " was accepted";
    } catch (const ValueError& error) {
      EXPECT_NE(std::string(error.what()).find("d = " + std::to_string(d)), std::string::npos)
          << error.what();
    }
  }
}

TEST(KernelPca, NeedsAnUnlabeledSample) {
  const auto gram = gram_cases()[0].make(1);
  std::vector<Index> all(kSamples);
  for (Index i = 0; i < kSamples; ++i) all[i] = i;
  EXPECT_THROW(fit_kernel_pca(*gram, all, Matrix::Ones(kSamples, 1), {.dimension = 1}), ValueError);
}

TEST(KernelPca, RefusesLabeledIndicesThatAreNoSamples) {
  const auto gram = gram_cases()[0].make(1);
  EXPECT_THROW(kernel_pca(*gram, std::vector<Index>{0, kSamples}, {.dimension = 2}), ValueError);
  EXPECT_THROW(kernel_pca(*gram, std::vector<Index>{-1}, {.dimension = 2}), ValueError);
}

TEST(KernelPca, HasNoPositiveEigenvalueOnAGraphWithoutEdges) {
  const GraphGram empty(to_csr(Matrix::Zero(6, 6)));
  EXPECT_THROW(kernel_pca(empty, std::vector<Index>{0}, {.dimension = 1}), ValueError);
}

TEST(KernelPca, WarnsOfEigenvectorsOnSingleSamples) {
  // Ten features and a length scale much shorter than all distances: K is nearly the identity.
  Matrix x = random_matrix(120, 10, 41);
  const auto warnings = [&](double length_scale) {
    const NormalizedGram gram(std::make_unique<PointGram<double>>(x, Kernel::rbf(length_scale), 1));
    const std::vector<Index> labeled{0, 1, 2, 3, 4, 5};
    const Matrix y = random_matrix(6, 2, 42);
    return fit_kernel_pca(gram, labeled, y, {.dimension = 6}).summary.warnings;
  };
  ASSERT_EQ(warnings(0.7).size(), 1U);
  EXPECT_NE(warnings(0.7)[0].find("longer length scale"), std::string::npos) << warnings(0.7)[0];
  EXPECT_TRUE(warnings(5.0).empty());
}

}  // namespace
}  // namespace stkr::kernel_pca_test
