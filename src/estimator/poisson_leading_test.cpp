#include "estimator/poisson_leading.hpp"

#include <gtest/gtest.h>

#include "dense_reference.hpp"
#include "estimator/spectral_action.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/gram/graph_gram.hpp"
#include "stkr/gram/point_gram.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr::poisson_leading_test {
namespace {

constexpr Index kNodes = 24;

// Components {0..15} and {16..21}; 22 and 23 have no edges.
CsrMatrix weights() {
  std::vector<Triplet> edges;
  for (std::int32_t i = 0; i < 22; ++i) {
    for (std::int32_t j = 0; j < i; ++j) {
      if ((i < 16) != (j < 16) || (i * 7 + j * 3) % 4 == 1) continue;
      const double weight = 0.3 + 0.1 * static_cast<double>((i + 2 * j) % 7);
      edges.push_back({i, j, weight});
      edges.push_back({j, i, weight});
    }
  }
  return csr_from_triplets(kNodes, kNodes, edges);
}

GraphGram walk() {
  return GraphGram(weights(), GraphGramOptions{.normalization = GraphNormalization::lazy_walk});
}

// Σ h(λ_i) u_i u_iᵀ over all eigenvectors but the leading ones, whose values are `first` and
// `second` on the two components. `only_leading`: the second one has nothing else.
Matrix function_of(const GraphGram& gram, const std::function<double(double)>& h, double first,
                   double second, bool only_leading = false) {
  Matrix s(kNodes, kNodes);
  gram.apply(Matrix::Identity(kNodes, kNodes), s);
  const reference::Spectrum spectrum(s);
  Matrix result = Matrix::Zero(kNodes, kNodes);
  for (Index i = 0; i < kNodes; ++i) {
    if (spectrum.values[i] > 1.0 - 1e-10) continue;
    result += h(spectrum.values[i]) * spectrum.vectors.col(i) * spectrum.vectors.col(i).transpose();
  }
  if (only_leading) result.block(16, 16, 6, 6).setZero();
  const Vector degrees = gram.degrees();
  const auto add = [&](Index from, Index to, double value) {
    Vector u = Vector::Zero(kNodes);
    u.segment(from, to - from) = degrees.segment(from, to - from).cwiseSqrt();
    result += value * u * u.transpose() / u.squaredNorm();
  };
  add(0, 16, first);
  add(16, 22, second);
  return result;
}

TEST(PoissonLeading, ActsAsTheMatrixFunctionWithAndWithoutKeptGroups) {
  const GraphGram gram = walk();
  const Matrix all = Matrix::Identity(kNodes, kNodes);
  for (const double eta : {0.5, 0.99, 1.0}) {
    SCOPED_TRACE(eta);
    const double kept = 1.0 / (1.0 - std::min(eta, 0.99));
    const double at_self = 0.5 / (1.0 - 0.5 * eta);
    const auto g = [&](double x) { return 1.0 / (1.0 - eta * x); };
    const auto q = [&](double x) { return g(x) / (1.0 - 0.5 * eta); };
    const SpectralAction action(gram, SpectralTransform::poisson(eta),
                                {.tolerance = 1e-13, .kept_groups = {0, 1}});
    const TransformedPair pair = action.apply_pair(all);
    EXPECT_LT((pair.known - function_of(gram, g, 0.0, kept, true)).cwiseAbs().maxCoeff(),
              1e-9 * kept);
    EXPECT_LT(
        (pair.fresh - function_of(gram, q, -2.0 * at_self, 2.0 * kept, true)).cwiseAbs().maxCoeff(),
        1e-9 * kept);
    EXPECT_LT((product(action, all) - pair.known).cwiseAbs().maxCoeff(), 1e-10 * kept);
    const SpectralAction none(gram, SpectralTransform::poisson(eta), {.tolerance = 1e-13});
    EXPECT_LT((product(none, all) - function_of(gram, g, 0.0, 0.0)).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(PoissonLeading, KeepsGroupsWhoseLabelsAreEqual) {
  const GraphGram gram = walk();
  Matrix y(4, 2);
  y << 1, 0, 0, 1, 1, 0, 1, 0;
  const KnownEigenspace* space = gram.known_eigenspace();
  EXPECT_EQ(groups_of_equal_labels(space, std::vector<Index>{0, 9, 17, 20}, y),
            (std::vector<char>{0, 1}));
  EXPECT_EQ(groups_of_equal_labels(space, std::vector<Index>{0, 17, 4, 9}, y),
            (std::vector<char>{1, 1}));
  EXPECT_TRUE(groups_of_equal_labels(nullptr, std::vector<Index>{0, 17, 4, 9}, y).empty());
}

// Poisson learning solves L u = Σ_i (y_i - ȳ) δ_i with Σ d u = 0: f = √d u.
TEST(PoissonLeading, IsPoissonLearningForALargeRidge) {
  std::vector<Triplet> edges;
  for (std::int32_t i = 0; i < 16; ++i) {
    for (std::int32_t j = 0; j < i; ++j) {
      if ((i * 7 + j * 3) % 4 == 1) continue;
      const double weight = 0.3 + 0.1 * static_cast<double>((i + 2 * j) % 7);
      edges.push_back({i, j, weight});
      edges.push_back({j, i, weight});
    }
  }
  const CsrMatrix w = csr_from_triplets(16, 16, edges);
  Matrix laplacian = Matrix::Zero(16, 16);
  for (const Triplet& edge : edges) laplacian(edge.row, edge.column) -= edge.value;
  laplacian.diagonal() = -laplacian.rowwise().sum();
  const Vector degree = laplacian.diagonal();
  const std::vector<Index> labeled{2, 3, 5, 11, 14};  // three of one class
  Matrix y(5, 3);
  y << 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1;
  const Matrix source = scatter_rows(y.rowwise() - y.colwise().mean(), labeled, 16);
  // The graph is connected, so adding d dᵀ makes L regular and dᵀu = 0.
  const reference::Spectrum regular(laplacian + degree * degree.transpose());
  const Matrix u = regular.vectors * (regular.values.cwiseInverse().asDiagonal() *
                                      (regular.vectors.transpose() * source));
  const Matrix expected = degree.cwiseSqrt().asDiagonal() * u;
  const GraphGram gram(w, {.normalization = GraphNormalization::lazy_walk});
  StkrOptions options;
  options.transform = SpectralTransform::poisson();
  options.ridge = 1e7;
  options.tolerance = 1e-12;
  for (const StkrSolver solver :
       {StkrSolver::automatic, StkrSolver::direct, StkrSolver::diagonalize, StkrSolver::cg,
        StkrSolver::minres, StkrSolver::richardson}) {
    SCOPED_TRACE(to_string(solver));
    options.solver = solver;
    const Fit fit = fit_stkr(gram, labeled, y, options);
    ASSERT_TRUE(fit.summary.solve.converged());
    const double scale = fit.fitted(0, 0) / expected(0, 0);
    for (const Index i : {0, 1, 4, 6, 7, 8, 9, 10, 12, 13, 15}) {  // labels have a self term
      EXPECT_LT((fit.fitted.row(i) / scale - expected.row(i)).norm(), 1e-6 * expected.norm()) << i;
    }
  }
}

// A path of 40 nodes with one label at its end: with anything but the leading eigenvector, the
// other end would get the other class.
TEST(PoissonLeading, GivesALongPathTheClassOfItsLabel) {
  std::vector<Triplet> edges{{0, 1, 1.0}, {1, 0, 1.0}, {1, 2, 1.0}, {2, 1, 1.0}};
  for (std::int32_t i = 3; i < 42; ++i) {
    edges.push_back({i, i + 1, 1.0});
    edges.push_back({i + 1, i, 1.0});
  }
  const GraphGram gram(csr_from_triplets(43, 43, edges),
                       {.normalization = GraphNormalization::lazy_walk});
  const std::vector<Index> labeled{0, 2, 3};
  Matrix y(3, 2);
  y << 1, 0, 0, 1, 0, 1;
  StkrOptions options;
  options.transform = SpectralTransform::poisson();
  const Fit fit = fit_stkr(gram, labeled, y, options);
  for (Index i = 3; i < 43; ++i) EXPECT_GT(fit.fitted(i, 1), fit.fitted(i, 0)) << i;
  // Presented again as new nodes, they keep their values; the label lacks its self term.
  const Matrix again = gram.cross_kernel()
                           ->place(NewSamples{csr_from_triplets(43, 43, edges)})
                           ->apply(fit.coefficients);
  for (Index i = 4; i < 43; ++i) {
    EXPECT_LT((again.row(i) - fit.fitted.row(i)).norm(), 1e-8 * fit.fitted.norm()) << i;
  }
}

// Without the kept eigenvector, the far end of the second component would get the other class.
TEST(PoissonLeading, GivesAComponentWithOneClassThatClass) {
  const GraphGram gram = walk();
  const std::vector<Index> labeled{0, 9, 17};
  Matrix y(3, 2);
  y << 1, 0, 0, 1, 1, 0;
  StkrOptions options;
  options.transform = SpectralTransform::poisson();
  const Fit fit = fit_stkr(gram, labeled, y, options);
  ASSERT_TRUE(fit.summary.solve.converged());
  for (Index i = 16; i < 22; ++i) EXPECT_GT(fit.fitted(i, 0), fit.fitted(i, 1)) << i;
  const std::vector<char> evidence = fit.evidence.of_known(0, fit.fitted);
  for (Index i = 0; i < kNodes; ++i) EXPECT_EQ(evidence[i], i < 22) << i;
}

TEST(PoissonLeading, LeavesEvidenceHalfwayBetweenLabels) {
  const GraphGram gram(
      csr_from_triplets(3, 3, {{{0, 1, 1.0}, {1, 0, 1.0}, {1, 2, 1.0}, {2, 1, 1.0}}}),
      {.normalization = GraphNormalization::lazy_walk});
  StkrOptions options;
  options.transform = SpectralTransform::poisson();
  const Fit fit = fit_stkr(gram, std::vector<Index>{0, 2}, Matrix::Identity(2, 2), options);
  EXPECT_NEAR(fit.fitted(1, 0), fit.fitted(1, 1), 1e-12);
  EXPECT_EQ(fit.evidence.of_known(0, Matrix::Zero(3, 2)), (std::vector<char>{1, 1, 1}));
}

TEST(PoissonLeading, RefusesGramsThatDoNotKnowTheirEigenvectors) {
  const PointGram<double> gram(Matrix::Random(6, 2), Kernel::linear());
  EXPECT_THROW(PoissonLeading(gram, 1.0), ValueError);
  EXPECT_THROW(SpectralTransform::poisson(1.01), ValueError);
  EXPECT_THROW(SpectralTransform::poisson(0.0), ValueError);
}

}  // namespace
}  // namespace stkr::poisson_leading_test
