#include "selection/laplacian_series.hpp"

#include <gtest/gtest.h>

#include "estimator/ridge_path.hpp"
#include "selection/transformed_blocks.hpp"
#include "selection_cases.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr::laplacian_series_test {
namespace {

using cases::ScoredCase;

struct CaseName {
  std::string operator()(const testing::TestParamInfo<ScoredCase>& info) const {
    return info.param.name;
  }
};

const std::vector<double> kEtas{0.3, 0.9, 0.999, 0.999999};
const std::vector<double> kBetas{1e3, 1.0, 1e-2, 1e-5};

// Predictions of the coupled blocks of a grid with kernel PCA, for every η and β.
std::vector<Matrix> answers(const GramOperator& gram, const KernelRows& rows, const Matrix& y,
                            int* coupled, int threads = 1) {
  Grid grid;
  grid.powers.clear();
  grid.propagation_etas.clear();
  grid.etas = kEtas;
  grid.dimensions = {6};
  grid.betas = kBetas;
  BlockOptions options;
  options.coupled = true;
  options.literal_top_d = true;  // eigenvectors of all unlabeled samples, which the series needs
  options.eigen_tolerance = 1e-11;
  std::vector<Matrix> f(kEtas.size() * kBetas.size());
  transformed_blocks(gram, rows, grid,
                     [&](std::size_t place, const TransformedBlock& block) {
                       if (block.family != Family::inverse_laplacian) return;
                       if (coupled) *coupled += block.coupling != 0.0;
                       const RidgePath path(block.labeled, block.scored, y,
                                            {.coupling = block.coupling});
                       for (std::size_t b = 0; b < kBetas.size(); ++b) {
                         f[place * kBetas.size() + b] = path.predict(kBetas[b]);
                       }
                     },
                     options, {.threads = threads});
  return f;
}

class LaplacianSeriesOfEveryCase : public testing::TestWithParam<ScoredCase> {};

INSTANTIATE_TEST_SUITE_P(Cases, LaplacianSeriesOfEveryCase,
                         testing::ValuesIn(cases::scored_cases()), CaseName());

TEST_P(LaplacianSeriesOfEveryCase, PredictsWhatTheReferenceDoes) {
  const ScoredCase& c = GetParam();
  const auto gram = c.make(1);
  const KnownEigenspace* known = gram->known_eigenspace();
  if (!known || known->dimension() == 0 || known->eigenvalue() != 1.0) {
    GTEST_SKIP() << "not a gram with lambda_1 = 1";
  }
  Random random(4);
  Matrix y(c.labeled.size(), 3);
  for (Index i = 0; i < y.size(); ++i) y.data()[i] = random.normal();
  const reference::Dense dense = c.dense();
  int coupled = 0;
  const auto cross = c.make(1)->cross_kernel();
  const std::vector<Matrix> known_answers =
      answers(*gram, KernelRows(*gram, c.labeled, c.scored), y, &coupled);
  const auto placed = cross->place(c.fresh);
  const std::vector<Matrix> fresh_answers =
      answers(*gram, KernelRows(*gram, c.labeled, *placed, c.fresh.count()), y, nullptr);
  for (std::size_t e = 0; e < kEtas.size(); ++e) {
    const double eta = kEtas[e];
    const reference::Transform lap{[eta](double l) { return l / (1.0 - eta * l); },
                                   [eta](double l) { return 1.0 / (1.0 - eta * l); }};
    for (std::size_t b = 0; b < kBetas.size(); ++b) {
      // Beyond this, the explicit matrix of the reference, with entries of 1/(1 - η), cannot
      // resolve the ridge.
      if (kBetas[b] * (1.0 - eta) < 1e-9) continue;
      const reference::Solution expected = dense.fit(lap, c.labeled, y, kBetas[b]);
      const Matrix seen = reference::rows_of(expected.fitted, c.scored);
      const Matrix fresh = c.cross * expected.coefficients;
      const double scale = std::max(seen.norm(), fresh.norm());
      const std::string where = "eta " + std::to_string(eta) + " beta " + std::to_string(kBetas[b]);
      EXPECT_LT((known_answers[e * kBetas.size() + b] - seen).norm(), 1e-6 * scale) << where;
      EXPECT_LT((fresh_answers[e * kBetas.size() + b] - fresh).norm(), 1e-6 * scale) << where;
    }
  }
  if (c.name == "awkward_symmetric") {
    EXPECT_EQ(coupled, 4) << "the series was not used";
  }
}

TEST(LaplacianSeries, DoesNotDependOnTheNumberOfThreads) {
  const ScoredCase c = cases::scored_cases().front();
  const Matrix y = Matrix::Identity(static_cast<Index>(c.labeled.size()), 3);
  std::vector<std::vector<Matrix>> f;
  for (const int threads : {1, 3}) {
    const auto gram = c.make(threads);
    f.push_back(answers(*gram, KernelRows(*gram, c.labeled, c.scored), y, nullptr, threads));
  }
  EXPECT_EQ(f[0], f[1]);
}

TEST(LaplacianSeries, IsNotForEigenvectorsThatLeaveTooMuch) {
  const ScoredCase c = cases::scored_cases().front();
  const auto gram = c.make(1);
  const KernelPca pca = kernel_pca(*gram, c.labeled, {.dimension = 1, .literal_top_d = true});
  EXPECT_FALSE(LaplacianSeries::length(*gram, pca, 0.999999));
  EXPECT_TRUE(LaplacianSeries::length(*gram, pca, 0.3));
  KernelPca unfinished = pca;
  unfinished.summary.reason = StopReason::max_iterations;
  EXPECT_FALSE(LaplacianSeries::length(*gram, unfinished, 0.3));
}

}  // namespace
}  // namespace stkr::laplacian_series_test
