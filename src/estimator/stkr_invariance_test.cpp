// Invariances of a fit: order of samples, scale of the targets, number of threads.

#include <gtest/gtest.h>

#include "estimator/kernel_pca.hpp"
#include "estimator/label_propagation.hpp"
#include "gram_cases.hpp"
#include "stkr/estimator/stkr.hpp"
#include "transform_cases.hpp"

namespace stkr::stkr_invariance_test {
namespace {

using namespace cases;
using reference::relative_error;

const std::vector<Index> kLabeled{17, 2, 5, 11, 0, 8};

StkrOptions options_for(const SpectralTransform& transform, StkrSolver solver) {
  StkrOptions options;
  options.transform = transform;
  options.beta = 0.5;
  options.solver = solver;
  options.tolerance = 1e-11;
  options.max_iterations = 20000;
  return options;
}

// On a graph with λ₁ = 1 and on points with λ₁ < 1.
std::vector<SpectralTransform> transforms() {
  return {SpectralTransform::power(2), SpectralTransform::polynomial({1.0, 0.5, 2.0}),
          SpectralTransform::inverse_laplacian(0.9), SpectralTransform::diffusion(1.0),
          SpectralTransform::truncation(3)};
}

TEST(StkrInvariance, PermutingTheSamplesPermutesTheFit) {
  const Matrix x = random_matrix(kSamples, 3, 71);
  const Matrix w = two_component_graph(kSamples, 72);
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 73);
  // Sample i moves to position place[i].
  std::vector<Index> place(kSamples);
  for (Index i = 0; i < kSamples; ++i) place[i] = (7 * i + 5) % kSamples;
  Matrix x_moved(kSamples, 3), w_moved(kSamples, kSamples);
  for (Index i = 0; i < kSamples; ++i) {
    x_moved.row(place[i]) = x.row(i);
    for (Index j = 0; j < kSamples; ++j) w_moved(place[i], place[j]) = w(i, j);
  }
  std::vector<Index> labeled_moved;
  for (const Index i : kLabeled) labeled_moved.push_back(place[i]);

  const PointGram<double> points(x, Kernel::rbf(1.5)), points_moved(x_moved, Kernel::rbf(1.5));
  const GraphGramOptions lazy{.normalization = GraphNormalization::lazy_walk};
  const GraphGram graph(to_csr(w), lazy), graph_moved(to_csr(w_moved), lazy);
  const std::pair<const GramOperator*, const GramOperator*> grams[] = {{&points, &points_moved},
                                                                       {&graph, &graph_moved}};
  for (const auto& [gram, moved] : grams) {
    for (const SpectralTransform& transform : transforms()) {
      SCOPED_TRACE(transform.describe());
      const StkrOptions options = options_for(transform, StkrSolver::direct);
      const Fit before = fit_stkr(*gram, kLabeled, y, options);
      const Fit after = fit_stkr(*moved, labeled_moved, y, options);
      EXPECT_LT(relative_error(after.alpha, before.alpha), 1e-9);
      EXPECT_LT(relative_error(reference::rows_of(after.fitted, place), before.fitted), 1e-9);
      EXPECT_LT(relative_error(reference::rows_of(after.coefficients, place), before.coefficients),
                1e-9);
    }
  }
}

TEST(StkrInvariance, ScalingTheTargetsScalesTheFit) {
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 74);
  const GramCase lazy = gram_cases()[8];
  const auto gram = lazy.make(1);
  for (const StkrSolver solver : {StkrSolver::direct, StkrSolver::richardson, StkrSolver::cg,
                                  StkrSolver::minres, StkrSolver::diagonalize}) {
    for (const SpectralTransform& transform : transforms()) {
      SCOPED_TRACE(transform.describe() + " by " + to_string(solver));
      const StkrOptions options = options_for(transform, solver);
      const Fit fit = fit_stkr(*gram, kLabeled, y, options);
      for (const double scale : {-3.0, 1e-100, 1e100}) {
        const Fit scaled = fit_stkr(*gram, kLabeled, scale * y, options);
        EXPECT_TRUE(scaled.summary.solve.converged()) << scale;
        EXPECT_LT(relative_error(scaled.alpha / scale, fit.alpha), 1e-8) << scale;
        EXPECT_LT(relative_error(scaled.coefficients / scale, fit.coefficients), 1e-8) << scale;
        EXPECT_LT(relative_error(scaled.fitted / scale, fit.fitted), 1e-8) << scale;
      }
      const Fit zero = fit_stkr(*gram, kLabeled, 0.0 * y, options);
      EXPECT_TRUE(zero.summary.solve.converged());
      EXPECT_EQ(zero.fitted, Matrix::Zero(kSamples, 2));
    }
  }
}

// Large enough for the work to be split into pieces.
void expect_same_for_one_and_two_threads(
    const std::function<std::unique_ptr<GramOperator>(int)>& make) {
  std::vector<Index> labeled;
  for (Index i = 0; i < 12; ++i) labeled.push_back(17 * i);
  const Matrix y = random_matrix(12, 3, 75);
  const auto one = make(1), two = make(2);
  for (const StkrSolver solver : {StkrSolver::direct, StkrSolver::richardson, StkrSolver::cg,
                                  StkrSolver::minres, StkrSolver::diagonalize}) {
    for (const SpectralTransform& transform :
         {SpectralTransform::power(2), SpectralTransform::inverse_laplacian(0.6),
          SpectralTransform::diffusion(1.0)}) {
      SCOPED_TRACE(transform.describe() + " by " + to_string(solver));
      // Converged or not, the results are bit-identical.
      StkrOptions options = options_for(transform, solver);
      options.tolerance = 1e-4;
      options.max_iterations = 4;
      const Fit first = fit_stkr(*one, labeled, y, options, {.threads = 1});
      const Fit second = fit_stkr(*two, labeled, y, options, {.threads = 2});
      EXPECT_TRUE(first.alpha == second.alpha);
      EXPECT_TRUE(first.coefficients == second.coefficients);
      EXPECT_TRUE(first.fitted == second.fitted);
    }
  }
  const LabelPropagationOptions propagation{.eta = 0.6};
  const Fit first = fit_label_propagation(*one, labeled, y, propagation, {.threads = 1});
  const Fit second = fit_label_propagation(*two, labeled, y, propagation, {.threads = 2});
  EXPECT_TRUE(first.fitted == second.fitted);
  const KernelPcaOptions pca{.dimension = 3, .tolerance = 0.05};
  const Fit pca_one = fit_kernel_pca(*one, labeled, y, pca, {.threads = 1});
  const Fit pca_two = fit_kernel_pca(*two, labeled, y, pca, {.threads = 2});
  EXPECT_TRUE(pca_one.fitted == pca_two.fitted);
}

TEST(StkrInvariance, TheNumberOfThreadsChangesNoBitOnPoints) {
  const Matrix x = random_matrix(500, 3, 76);
  expect_same_for_one_and_two_threads([&](int threads) {
    return std::make_unique<PointGram<double>>(x, Kernel::rbf(1.5), threads);
  });
}

TEST(StkrInvariance, TheNumberOfThreadsChangesNoBitOnGraphs) {
  const Index nodes = 9000;  // more than two chunks of rows
  std::vector<Triplet> edges;
  Random random(77);
  for (std::int32_t i = 1; i < nodes; ++i) {
    for (int k = 0; k < 4; ++k) {
      edges.push_back({i, static_cast<std::int32_t>(random.below(i)), 0.1 + random.uniform()});
    }
  }
  const CsrMatrix w = csr_from_triplets(nodes, nodes, edges);
  expect_same_for_one_and_two_threads([&](int threads) {
    return std::make_unique<GraphGram>(w, GraphGramOptions{.symmetrize = true, .threads = threads});
  });
}

TEST(StkrInvariance, CenteringRemovesConstantsOfTheKernel) {
  const Matrix y = random_matrix(static_cast<Index>(kLabeled.size()), 2, 78);
  const Matrix k = gram_cases()[0].kernel;
  const CenteredGram plain(std::make_unique<DenseGram>(k));
  const CenteredGram shifted(
      std::make_unique<DenseGram>(k + Matrix(Matrix::Constant(kSamples, kSamples, 5.0))));
  for (const SpectralTransform& transform : transforms()) {
    SCOPED_TRACE(transform.describe());
    const StkrOptions options = options_for(transform, StkrSolver::direct);
    const Fit before = fit_stkr(plain, kLabeled, y, options);
    const Fit after = fit_stkr(shifted, kLabeled, y, options);
    EXPECT_LT(relative_error(after.alpha, before.alpha), 1e-9);
    EXPECT_LT(relative_error(after.fitted, before.fitted), 1e-9);
    EXPECT_LT(before.fitted.colwise().sum().norm(), 1e-11 * before.fitted.norm());
  }
}

}  // namespace
}  // namespace stkr::stkr_invariance_test
