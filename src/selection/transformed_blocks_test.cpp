#include "stkr/selection/transformed_blocks.hpp"

#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "selection_cases.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

using namespace cases;
using reference::relative_error;

using Blocks = std::map<std::pair<Family, std::size_t>, TransformedBlock>;

Blocks collect(const GramOperator& gram, const KernelRows& rows, const Grid& grid,
               const BlockOptions& options, BlockSummary* summary = nullptr) {
  Blocks blocks;
  std::mutex guard;
  const BlockSummary result = transformed_blocks(
      gram, rows, grid,
      [&](std::size_t place, const TransformedBlock& block) {
        const std::lock_guard lock(guard);
        EXPECT_TRUE(blocks.emplace(std::pair(block.family, place), block).second);
      },
      options);
  if (summary) *summary = result;
  return blocks;
}

// Every family, with parameters in units of λ₁.
Grid full_grid(const ScoredCase& c, const reference::Dense& dense) {
  const double unit = 1.0 / dense.largest();
  Grid grid;
  grid.powers = {1, 2, 3, 8};
  // Smooth only as far as 0: see NamesTheErrorOfAPowerWithAKink.
  if (c.make(1)->bounds().lower >= 0.0) grid.powers.push_back(2.5);
  grid.polynomials = {{0.5, 0.3 * unit, 1.2 * unit * unit}, {0.0, unit}};
  grid.etas = {0.5, 0.9, 0.99, 0.9999, 0.999999};
  grid.times = {1.3 * unit, 0.2 * unit};
  grid.dimensions = {widest_pca_gap(c.kernel, c.labeled, 1, 4)};
  return grid;
}

BlockOptions precise(const reference::Dense& dense) {
  BlockOptions options;
  options.largest_eigenvalue = dense.largest();
  options.tolerance = 1e-11;
  options.eigen_tolerance = 1e-12;
  options.threads = 1;
  return options;
}

std::string named(const TransformedBlock& block) {
  return std::string(to_string(block.family)) + " " + std::to_string(block.parameter);
}

class BlocksOfEveryCase : public testing::TestWithParam<ScoredCase> {};

INSTANTIATE_TEST_SUITE_P(Cases, BlocksOfEveryCase, testing::ValuesIn(scored_cases()), CaseName());

TEST_P(BlocksOfEveryCase, AgreeWithTheReferenceForEveryFamily) {
  const ScoredCase& c = GetParam();
  const reference::Dense dense(c.kernel);
  const Grid grid = full_grid(c, dense);
  const auto gram = c.make(1);
  const auto cross = std::move(*c.make(1)).into_cross_kernel();
  const KernelRows seen(*gram, c.labeled, c.scored);
  const KernelRows fresh(*gram, c.labeled, *cross, c.fresh);
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
      // A block may vanish, as that of the leaves of a star does for odd powers.
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
// the rest is compared by itself.
TEST_P(BlocksOfEveryCase, KeepTheirSmallPartsNearTheTopOfTheSpectrum) {
  const ScoredCase& c = GetParam();
  const auto gram = c.make(1);
  if (!gram->known_eigenspace() || gram->known_eigenspace()->eigenvalue() != 1.0) {
    GTEST_SKIP() << "nothing is known of the top of its spectrum";
  }
  Grid grid;
  grid.powers = {};
  grid.dimensions = {};
  grid.etas = {0.999999};
  BlockOptions options;
  options.tolerance = 1e-11;
  options.threads = 1;
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
  const reference::Dense dense(c.kernel);
  const Grid grid = full_grid(c, dense);
  const auto gram = c.make(1);
  const KernelRows rows(*gram, c.labeled, c.scored);
  const Blocks whole = collect(*gram, rows, grid, precise(dense));
  BlockOptions options = precise(dense);
  options.block_bytes = 1;
  BlockSummary summary;
  const Blocks batches = collect(*gram, rows, grid, options, &summary);
  // Every label by itself; a cubic takes three products.
  EXPECT_EQ(summary.costs[1].products, static_cast<long>(3 * c.labeled.size()));
  ASSERT_EQ(batches.size(), whole.size());
  for (const auto& [key, block] : whole) {
    EXPECT_LT(relative_error(batches.at(key).labeled, block.labeled), 1e-8) << named(block);
    EXPECT_LT(relative_error(batches.at(key).scored, block.scored), 1e-8) << named(block);
  }
}

ScoredCase case_named(const std::string& name) {
  for (const ScoredCase& c : scored_cases()) {
    if (c.name == name) return c;
  }
  throw ValueError(name);
}

Grid only_dimensions(std::vector<Index> dimensions) {
  Grid grid;
  grid.powers = {};
  grid.etas = {};
  grid.dimensions = std::move(dimensions);
  return grid;
}

TEST(TransformedBlocks, DoNotDependOnTheNumberOfThreads) {
  const ScoredCase c = case_named("blocks_symmetric");
  const reference::Dense dense(c.kernel);
  const Grid grid = full_grid(c, dense);
  const auto gram = c.make(1);
  const KernelRows rows(*gram, c.labeled, c.scored);
  const Blocks one = collect(*gram, rows, grid, precise(dense));
  for (const int threads : {2, 3}) {
    BlockOptions options = precise(dense);
    options.threads = threads;
    for (const auto& [key, block] : collect(*gram, rows, grid, options)) {
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
  // On a spectrum that reaches below 0, λ^1.5 is not smooth: Chebyshev polynomials come only so
  // close, and that must not pass in silence.
  const ScoredCase c = case_named("blocks_symmetric");
  const reference::Dense dense(c.kernel);
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

TEST(TransformedBlocks, LeaveOutDimensionsAboveTheNumberOfPositiveEigenvalues) {
  const ScoredCase c = case_named("blocks_symmetric");
  const std::vector<Index> unlabeled = reference::complement(c.labeled, 80);
  const Vector values =
      reference::Spectrum(reference::rows_of(reference::columns_of(c.kernel, unlabeled), unlabeled))
          .values;
  const auto positive = static_cast<Index>((values.array() > 1e-9 * values[0]).count());
  ASSERT_LT(positive, 60);
  const auto gram = c.make(1);
  const KernelRows rows(*gram, c.labeled, c.scored);
  BlockSummary summary;
  const Blocks blocks =
      collect(*gram, rows, only_dimensions({2, positive, positive + 1, 500}), {}, &summary);
  EXPECT_EQ(blocks.size(), 2u);
  ASSERT_EQ(summary.warnings.size(), 1u);
  const std::string expected = "d = " + std::to_string(positive + 1) + ", 500 left out";
  EXPECT_NE(summary.warnings[0].find(expected), std::string::npos) << summary.warnings[0];
}

TEST(TransformedBlocks, WarnOfADimensionThatPartsEqualEigenvalues) {
  // Three components, one label each: the unlabelled samples have λ̃ = 1 … twice at least among the
  // equal pairs {2,3}, {4,5}.
  Matrix w = Matrix::Zero(8, 8);
  for (const auto& [i, j] : {std::pair{0, 1}, {2, 3}, {4, 5}, {6, 7}}) w(i, j) = w(j, i) = 1.0;
  const GramCase pairs = graph_case("pairs", w, GraphNormalization::symmetric);
  const auto gram = pairs.make(1);
  const KernelRows rows(*gram, {0, 1}, {2, 4});
  BlockSummary summary;
  const Blocks blocks = collect(*gram, rows, only_dimensions({1, 3}), {}, &summary);
  EXPECT_EQ(blocks.size(), 2u);
  ASSERT_EQ(summary.warnings.size(), 1u);
  EXPECT_NE(summary.warnings[0].find("d = 1 parts equal eigenvalues"), std::string::npos)
      << summary.warnings[0];
}

TEST(TransformedBlocks, LeaveKernelPcaOutWhereAllSamplesAreLabelled) {
  const GramCase points = gram_cases()[0];
  const auto gram = points.make(1);
  std::vector<Index> all(gram->size());
  for (Index i = 0; i < gram->size(); ++i) all[i] = i;
  const KernelRows rows(*gram, all, std::vector<Index>{});
  BlockSummary summary;
  EXPECT_TRUE(collect(*gram, rows, only_dimensions({2}), {}, &summary).empty());
  ASSERT_EQ(summary.warnings.size(), 1u);
  EXPECT_NE(summary.warnings[0].find("kernel PCA"), std::string::npos);
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
    BlockOptions options;
    options.control.cancel = stop.get_token();
    EXPECT_THROW(collect(*gram, rows, grid, options), Cancelled) << to_string(family);
  }
  BlockOptions options;
  options.control.cancel = stop.get_token();
  EXPECT_THROW(propagated_blocks(
                   *gram, rows, Matrix::Ones(80, 1), Grid{}, [](auto...) {}, options),
               Cancelled);
}

TEST(PropagatedBlocks, AreThePartialSumsOfTheReference) {
  for (const char* name : {"awkward_symmetric", "blocks_lazy_walk", "indefinite_kernel"}) {
    SCOPED_TRACE(name);
    const ScoredCase c = case_named(name);
    const reference::Dense dense(c.kernel);
    const auto gram = c.make(1);
    const KernelRows rows(*gram, c.labeled, c.scored);
    Grid grid;
    grid.propagation_etas = {0.9, 0.5};
    grid.propagation_steps = {4, 1, 7};  // in no order
    const Matrix b = reference::spread(random_matrix(static_cast<Index>(c.labeled.size()), 2, 37),
                                       c.labeled, gram->size());
    std::size_t calls = 0;
    const FamilyCost cost = propagated_blocks(
        *gram, rows, b, grid,
        [&](std::size_t eta, std::size_t steps, const Matrix& answer) {
          ++calls;
          const double unit = grid.propagation_etas[eta] / dense.largest();
          Matrix y = b;
          for (int t = 0; t < grid.propagation_steps[steps]; ++t) {
            y = unit / static_cast<double>(gram->size()) * (c.kernel * y) + b;
          }
          Matrix expected(answer.rows(), 2);
          expected << reference::rows_of(y, c.labeled), reference::rows_of(y, c.scored);
          EXPECT_LT(relative_error(answer, expected), 1e-12);
        },
        precise(dense));
    EXPECT_EQ(calls, 6u);
    EXPECT_EQ(cost.products, 7);
  }
}

}  // namespace
}  // namespace stkr
