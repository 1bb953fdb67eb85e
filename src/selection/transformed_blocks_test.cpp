#include "selection/transformed_blocks.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "collected_blocks.hpp"
#include "estimator/kernel_pca.hpp"
#include "estimator/label_propagation.hpp"
#include "estimator/ridge_path.hpp"
#include "estimator/spectral_action.hpp"
#include "gram/weighted_gram.hpp"
#include "selection/propagated_blocks.hpp"
#include "stkr/error.hpp"

namespace stkr::transformed_blocks_test {
namespace {

using namespace cases;
using reference::relative_error;

// Every family, with parameters in units of λ₁.
Grid full_grid(const ScoredCase& c, const reference::Dense& dense) {
  const double unit = 1.0 / dense.largest();
  Grid grid;
  grid.powers = {1, 2, 3, 8};
  // Smooth only down to 0: see NamesTheErrorOfAPowerWithAKink.
  if (c.make(1)->bounds().lower >= 0.0) grid.powers.push_back(2.5);
  grid.polynomials = {{0.5, 0.3 * unit, 1.2 * unit * unit}, {0.0, unit}};
  grid.etas = {0.5, 0.9, 0.99, 0.9999, 0.999999};
  grid.times = {1.3 * unit, 0.2 * unit};
  grid.dimensions = {widest_pca_gap(c.kernel, c.labeled, 1, 4)};
  return grid;
}

class BlocksOfEveryCase : public testing::TestWithParam<ScoredCase> {};

INSTANTIATE_TEST_SUITE_P(Cases, BlocksOfEveryCase, testing::ValuesIn(scored_cases()), CaseName());

TEST_P(BlocksOfEveryCase, AgreeWithTheReferenceForEveryFamily) {
  const ScoredCase& c = GetParam();
  const reference::Dense dense = c.dense();
  const Grid grid = full_grid(c, dense);
  const auto gram = c.make(1);
  const auto cross = c.make(1)->cross_kernel();
  const KernelRows seen(*gram, c.labeled, c.scored);
  const auto placed = cross->place(c.fresh);
  const KernelRows fresh(*gram, c.labeled, *placed, c.fresh.count());
  for (const KernelRows* rows : {&seen, &fresh}) {
    BlockSummary summary;
    const Blocks blocks = collect(*gram, *rows, grid, precise(dense), &summary);
    EXPECT_EQ(summary.costs.size(), 5u);
    for (const std::string& warning : summary.warnings) ADD_FAILURE() << warning;
    EXPECT_EQ(blocks.size(), grid.powers.size() + grid.polynomials.size() + grid.etas.size() +
                                 grid.times.size() + grid.dimensions.size());
    for (const auto& [key, block] : blocks) {
      SCOPED_TRACE(named(block) + (rows->inductive() ? " inductive" : " transductive"));
      EXPECT_EQ(block.parameter, family_parameters(grid, block.family)[key.second]);
      const Matrix exact = reference::columns_of(
          exact_kernel(dense, c.cross, block.family, block.parameter, grid, c.labeled), c.labeled);
      EXPECT_EQ(block.labeled, Matrix(block.labeled.transpose()));
      // A block may vanish, as for the leaves of a star and odd powers.
      const double least = 1e-6 * exact.norm();
      const Matrix labeled = reference::rows_of(exact, c.labeled);
      EXPECT_LT((block.labeled - labeled).norm(), 1e-7 * std::max(labeled.norm(), least));
      const Matrix scored = rows->inductive() ? Matrix(exact.bottomRows(c.cross.rows()))
                                              : reference::rows_of(exact, c.scored);
      EXPECT_LT((block.scored - scored).norm(), 1e-7 * std::max(scored.norm(), least));
    }
  }
}

// Near η = 1/λ₁ the part of the eigenvectors for λ₁ hides the rest, which decides between classes:
// compare the rest separately.
TEST_P(BlocksOfEveryCase, KeepTheirSmallPartsNearTheTopOfTheSpectrum) {
  const ScoredCase& c = GetParam();
  const auto gram = c.make(1);
  if (!gram->known_eigenspace() || gram->known_eigenspace()->eigenvalue() != 1.0) {
    GTEST_SKIP() << "the top of its spectrum is unknown";
  }
  Grid grid;
  grid.powers = {};
  grid.dimensions = {};
  grid.etas = {0.999999};
  BlockOptions options;
  options.tolerance = 1e-11;
  const auto n = static_cast<double>(gram->size());
  const KernelRows rows(*gram, c.labeled, c.scored);
  const Blocks blocks = collect(*gram, rows, grid, options);
  const TransformedBlock& block = blocks.begin()->second;
  const Matrix e = reference::spread(
      Matrix::Identity(static_cast<Index>(c.labeled.size()), static_cast<Index>(c.labeled.size())),
      c.labeled, gram->size());
  Matrix rest = e;
  gram->known_eigenspace()->project_out(rest);
  const Matrix top = n / (1.0 - 0.999999) * (e - rest);  // N s(1) U Uᵀ E
  const Matrix s = c.kernel / n;
  const Matrix q = Matrix::Identity(s.rows(), s.cols()) - 0.999999 * s;
  Matrix exact = c.kernel * q.fullPivLu().solve(rest);
  gram->known_eigenspace()->project_out(exact);
  EXPECT_LT((block.scored - reference::rows_of(top + exact, c.scored)).norm(),
            1e-6 * std::max(1.0, exact.norm()));
  EXPECT_LT((block.labeled - reference::rows_of(top + exact, c.labeled)).norm(),
            1e-6 * std::max(1.0, exact.norm()));
}

TEST_P(BlocksOfEveryCase, AreTheSameInSeveralBatches) {
  const ScoredCase& c = GetParam();
  const reference::Dense dense = c.dense();
  const Grid grid = full_grid(c, dense);
  const auto gram = c.make(1);
  const KernelRows rows(*gram, c.labeled, c.scored);
  const Blocks whole = collect(*gram, rows, grid, precise(dense));
  BlockOptions options = precise(dense);
  options.block_bytes = 1;
  BlockSummary summary;
  const Blocks batches = collect(*gram, rows, grid, options, &summary);
  // Each label separately; a cubic needs three products.
  EXPECT_EQ(summary.costs[1].products, static_cast<long>(3 * c.labeled.size()));
  ASSERT_EQ(batches.size(), whole.size());
  for (const auto& [key, block] : whole) {
    EXPECT_LT(relative_error(batches.at(key).labeled, block.labeled), 1e-8) << named(block);
    EXPECT_LT(relative_error(batches.at(key).scored, block.scored), 1e-8) << named(block);
  }
}

TEST(TransformedBlocks, DoNotDependOnTheNumberOfThreads) {
  const ScoredCase c = case_named("blocks_symmetric");
  const reference::Dense dense = c.dense();
  const Grid grid = full_grid(c, dense);
  const auto gram = c.make(1);
  const KernelRows rows(*gram, c.labeled, c.scored);
  const Blocks one = collect(*gram, rows, grid, precise(dense), nullptr, {.threads = 1});
  for (const int threads : {2, 3}) {
    const Context context{.threads = threads};
    for (const auto& [key, block] : collect(*gram, rows, grid, precise(dense), nullptr, context)) {
      EXPECT_EQ(block.labeled, one.at(key).labeled) << named(block);
      EXPECT_EQ(block.scored, one.at(key).scored) << named(block);
    }
  }
}

TEST(TransformedBlocks, CostOneSeriesOfProductsPerFamily) {
  const ScoredCase c = case_named("blocks_lazy_walk");
  const auto gram = c.make(1);
  const KernelRows rows(*gram, c.labeled, c.scored);
  Grid grid;
  grid.powers = {2, 5, 3};
  grid.etas = {};
  grid.dimensions = {};
  grid.polynomials = {{1.0, 2.0}, {1.0, 0.0, 0.0, 1.0}};
  BlockSummary summary;
  collect(*gram, rows, grid, {}, &summary);
  ASSERT_EQ(summary.costs.size(), 2u);
  EXPECT_EQ(summary.costs[0].products, 5);
  EXPECT_EQ(summary.costs[1].products, 4);
}

TEST(TransformedBlocks, NameTheErrorOfAPowerWithAKink) {
  // On a spectrum that reaches below 0, λ^1.5 is not smooth: Chebyshev polynomials approximate it
  // poorly, which must cause a warning.
  const ScoredCase c = case_named("blocks_symmetric");
  const reference::Dense dense = c.dense();
  Grid grid = only_dimensions({});
  grid.powers = {1.5};
  const auto gram = c.make(1);
  const KernelRows rows(*gram, c.labeled, c.scored);
  BlockSummary summary;
  const Blocks blocks = collect(*gram, rows, grid, precise(dense), &summary);
  const Matrix exact = exact_kernel(dense, c.cross, Family::power, 1.5, grid, c.labeled);
  EXPECT_LT(relative_error(blocks.begin()->second.scored,
                           reference::rows_of(reference::columns_of(exact, c.labeled), c.scored)),
            1e-3);
  ASSERT_EQ(summary.warnings.size(), 1u);
  EXPECT_NE(summary.warnings[0].find("1.5"), std::string::npos) << summary.warnings[0];
}

TEST(TransformedBlocks, LeaveOutAnEtaThatCannotBeComputedAndNoOther) {
  for (const ScoredCase& c : scored_cases()) {
    SCOPED_TRACE(c.name);
    const reference::Dense dense = c.dense();
    Grid grid;
    grid.powers = {2};
    grid.dimensions = {};
    grid.etas = {0.9, 0.4, 0.95, 0.3};
    BlockOptions options = precise(dense);
    options.largest_eigenvalue = 0.5 * dense.largest();  // so that 0.9 and 0.95 are beyond it
    const auto gram = c.make(1);
    const KernelRows rows(*gram, c.labeled, c.scored);
    BlockSummary summary;
    const Blocks blocks = collect(*gram, rows, grid, options, &summary);
    // If the top of the spectrum is deflated, the rest may lie below 1/0.9.
    ASSERT_EQ(blocks.size() + summary.left_out.size(), 5u);
    EXPECT_EQ(blocks.count({Family::power, 0}), 1u);
    for (const std::size_t place : {1u, 3u}) {
      ASSERT_EQ(blocks.count({Family::inverse_laplacian, place}), 1u);
      const TransformedBlock& block = blocks.at({Family::inverse_laplacian, place});
      const Matrix exact = exact_kernel(dense, c.cross, Family::inverse_laplacian,
                                        2.0 * block.parameter, grid, c.labeled);
      const Matrix labeled = reference::rows_of(reference::columns_of(exact, c.labeled), c.labeled);
      EXPECT_LT((block.labeled - labeled).norm(), 1e-7 * labeled.norm());
    }
    EXPECT_EQ(summary.warnings.size(), summary.left_out.size());
    for (const LeftOut& point : summary.left_out) {
      EXPECT_GE(point.parameter, 0.9);
      EXPECT_NE(point.reason.find("choose a smaller eta"), std::string::npos) << point.reason;
    }
    if (!gram->known_eigenspace()) {
      EXPECT_EQ(summary.left_out.size(), 2u);
    }
  }
}

TEST(TransformedBlocks, AgreeWithTheReferenceForWeightedSamples) {
  for (const char* name :
       {"awkward_symmetric", "awkward_lazy_walk", "normalized_points", "indefinite_kernel"}) {
    SCOPED_TRACE(name);
    ScoredCase c = case_named(name);
    const Index size = c.kernel.rows();
    Vector weights(size);
    Random random(45);
    for (Index i = 0; i < size; ++i) weights[i] = 0.2 + random.uniform();
    const Vector root = (weights / weights.mean()).cwiseSqrt();
    const auto make = [make = c.make, weights](int threads) {
      return std::make_unique<WeightedGram>(make(threads), weights);
    };
    const Matrix inverse = root.cwiseInverse().asDiagonal();
    const Matrix weighted = root.asDiagonal() * c.kernel * root.asDiagonal();
    const reference::Dense dense(weighted, c.self_term);
    c.make = make;
    c.kernel = weighted;  // for the gaps of its spectrum
    const Grid grid = full_grid(c, dense);
    const auto gram = make(1);
    const auto cross = make(1)->cross_kernel();
    const auto placed = cross->place(c.fresh);
    const KernelRows rows(*gram, c.labeled, *placed, c.fresh.count(), c.scored);
    const Blocks blocks = collect(*gram, rows, grid, precise(dense));
    EXPECT_EQ(blocks.size(), grid.powers.size() + grid.polynomials.size() + grid.etas.size() +
                                 grid.times.size() + grid.dimensions.size());
    for (const auto& [key, block] : blocks) {
      SCOPED_TRACE(named(block));
      Matrix exact = exact_kernel(dense, c.cross * root.asDiagonal(), block.family, block.parameter,
                                  grid, c.labeled);
      // For ψ̂ψ̂ᵀ and s(S) alike, columns are divided by √w, and rows except those of new samples.
      exact.topRows(size) = (inverse * exact.topRows(size)).eval();
      exact = reference::columns_of(exact * inverse, c.labeled);
      const Matrix labeled = reference::rows_of(exact, c.labeled);
      Matrix scored(rows.scored(), exact.cols());
      scored << reference::rows_of(exact, c.scored), exact.bottomRows(c.cross.rows());
      EXPECT_LT(relative_error(block.labeled, labeled), 1e-7);
      EXPECT_LT(relative_error(block.scored, scored), 1e-7);
      EXPECT_EQ(block.exact_zeros, name != std::string("indefinite_kernel"));
    }
    Grid propagation;
    propagation.propagation_etas = {0.9};
    propagation.propagation_steps = {5};
    const Matrix y = random_matrix(static_cast<Index>(c.labeled.size()), 2, 46);
    propagated_blocks(
        *gram, KernelRows(*gram, c.labeled, c.scored), reference::spread(y, c.labeled, size),
        propagation,
        [&](std::size_t, std::size_t, const Matrix& answer) {
          LabelPropagationOptions options;
          options.eta = 0.9 / dense.largest();
          options.iterations = 5;
          const Matrix fitted = fit_label_propagation(*gram, c.labeled, y, options).fitted;
          Matrix expected(answer.rows(), 2);
          expected << reference::rows_of(fitted, c.labeled), reference::rows_of(fitted, c.scored);
          EXPECT_LT(relative_error(answer, expected), 1e-12);
        },
        dense.largest());
  }
}

// For every kind of gram, a block is zero if no path joins sample and label.
TEST(TransformedBlocks, AreZeroExactlyWhereNoLabelReaches) {
  for (const GraphNormalization normalization :
       {GraphNormalization::symmetric, GraphNormalization::lazy_walk}) {
    const ScoredCase c = scored_graph("", awkward_graph(), normalization, kAwkwardLabels,
                                      {1, 5, 23, 31, 33, 34, 41}, awkward_edges());
    const auto part = [](Index i) {
      return i < 20 ? 0 : i < 28 ? 1 : i < 30 ? 2 : i < 32 ? 3 + i : i < 35 ? 50 : 51;
    };
    std::vector<std::unique_ptr<GramOperator>> grams;
    grams.push_back(c.make(1));
    grams.push_back(std::make_unique<DenseGram>(c.kernel, 1));
    grams.push_back(std::make_unique<WeightedGram>(c.make(1), Vector::LinSpaced(44, 0.5, 2.0)));
    for (const auto& gram : grams) {
      Grid grid = only_dimensions({2, 6});
      grid.powers = {2, 2.5};
      grid.etas = {0.9, 0.99999};
      grid.times = {1.0};
      BlockOptions options;
      options.largest_eigenvalue = largest_eigenvalue(*gram);
      const KernelRows rows(*gram, c.labeled, c.scored);
      const Blocks blocks = collect(*gram, rows, grid, options);
      EXPECT_EQ(blocks.size(), 7u);
      for (const auto& [key, block] : blocks) {
        EXPECT_TRUE(block.exact_zeros);
        for (std::size_t j = 0; j < c.labeled.size(); ++j) {
          for (std::size_t i = 0; i < c.scored.size(); ++i) {
            if (part(c.scored[i]) == part(c.labeled[j])) continue;
            EXPECT_EQ(block.scored(i, j), 0.0) << named(block);
          }
          for (std::size_t i = 0; i < c.labeled.size(); ++i) {
            if (part(c.labeled[i]) == part(c.labeled[j])) continue;
            EXPECT_EQ(block.labeled(i, j), 0.0) << named(block);
          }
        }
      }
    }
  }
}

TEST(TransformedBlocks, StopWhenAsked) {
  const ScoredCase c = case_named("blocks_lazy_walk");
  const auto gram = c.make(1);
  const KernelRows rows(*gram, c.labeled, c.scored);
  std::stop_source stop;
  stop.request_stop();
  for (const Family family :
       {Family::power, Family::inverse_laplacian, Family::diffusion, Family::top_d}) {
    Grid grid = only_dimensions({});
    if (family == Family::power) grid.powers = {2};
    if (family == Family::inverse_laplacian) grid.etas = {0.9};
    if (family == Family::diffusion) grid.times = {1.0};
    if (family == Family::top_d) grid.dimensions = {2};
    EXPECT_THROW(collect(*gram, rows, grid, {}, nullptr, {.cancel = stop.get_token()}), Cancelled)
        << to_string(family);
  }
}

}  // namespace
}  // namespace stkr::transformed_blocks_test
