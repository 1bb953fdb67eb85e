#include "stkr/selection/transformed_blocks.hpp"

#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "selection_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/kernel_pca.hpp"
#include "stkr/estimator/label_propagation.hpp"
#include "stkr/estimator/ridge_path.hpp"
#include "stkr/estimator/spectral_action.hpp"
#include "stkr/gram/weighted_gram.hpp"

namespace stkr {
namespace {

using namespace cases;
using reference::relative_error;

using Blocks = std::map<std::pair<Family, std::size_t>, TransformedBlock>;

Blocks collect(const GramOperator& gram, const KernelRows& rows, const Grid& grid,
               const BlockOptions& options, BlockSummary* summary = nullptr,
               const Context& context = {}) {
  Blocks blocks;
  std::mutex guard;
  const BlockSummary result = transformed_blocks(
      gram, rows, grid,
      [&](std::size_t place, const TransformedBlock& block) {
        const std::lock_guard lock(guard);
        EXPECT_TRUE(blocks.emplace(std::pair(block.family, place), block).second);
      },
      options, context);
  if (summary) *summary = result;
  return blocks;
}

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

BlockOptions precise(const reference::Dense& dense) {
  BlockOptions options;
  options.largest_eigenvalue = dense.largest();
  options.tolerance = 1e-11;
  options.eigen_tolerance = 1e-12;
  options.literal_top_d = true;  // as in the reference
  return options;
}

std::string named(const TransformedBlock& block) {
  return std::string(to_string(block.family)) + " " + std::to_string(block.parameter);
}

class BlocksOfEveryCase : public testing::TestWithParam<ScoredCase> {};

INSTANTIATE_TEST_SUITE_P(Cases, BlocksOfEveryCase, testing::ValuesIn(scored_cases()), CaseName());

TEST_P(BlocksOfEveryCase, AgreeWithTheReferenceForEveryFamily) {
  const ScoredCase& c = GetParam();
  const reference::Dense dense = c.dense();
  const Grid grid = full_grid(c, dense);
  const auto gram = c.make(1);
  const auto cross = std::move(*c.make(1)).into_cross_kernel();
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
  ASSERT_EQ(summary.left_out.size(), 2u);
  EXPECT_EQ(summary.left_out[1].family, Family::top_d);
  EXPECT_EQ(summary.left_out[1].parameter, 500.0);
  EXPECT_NE(summary.left_out[1].reason.find("positive eigenvalues"), std::string::npos);
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

// A ring of `ring` nodes with chords, node 0 labeled, followed by `count` triangles, the first node
// of each labeled.
struct Triangles {
  Matrix w;
  std::vector<Index> labeled;

  Triangles(Index count, Index ring) : w(Matrix::Zero(ring + 3 * count, ring + 3 * count)) {
    const auto join = [&](Index i, Index j) { w(i, j) = w(j, i) = 1.0; };
    for (Index i = 0; i < ring; ++i) {
      for (Index j = i + 1; j < ring; ++j) join(i, j);
    }
    if (ring > 0) labeled.push_back(0);
    for (Index k = 0; k < count; ++k) {
      const Index first = ring + 3 * k;
      join(first, first + 1);
      join(first, first + 2);
      join(first + 1, first + 2);
      labeled.push_back(first);
    }
  }
};

Index rank_of(const Matrix& symmetric) {
  const Vector values = reference::Spectrum(symmetric).values.cwiseAbs();
  return (values.array() > 1e-9 * values.maxCoeff()).count();
}

TEST(TransformedBlocks, WarnOfADimensionThatPartsEqualEigenvalues) {
  // Three unlabeled pairs with equal eigenvalues.
  const Triangles three(3, 0);
  const GramCase base = graph_case("triangles", three.w, GraphNormalization::symmetric);
  const auto gram = base.make(1);
  const KernelRows rows(*gram, three.labeled, {1, 5});
  BlockSummary summary;
  BlockOptions options;
  options.literal_top_d = true;
  Blocks blocks = collect(*gram, rows, only_dimensions({1, 2, 3}), options, &summary);
  EXPECT_EQ(blocks.size(), 3u);
  ASSERT_EQ(summary.warnings.size(), 1u);
  EXPECT_NE(summary.warnings[0].find("d = 1, 2 splits a set of equal eigenvalues"),
            std::string::npos)
      << summary.warnings[0];
  EXPECT_EQ(rank_of(blocks.at({Family::top_d, 0}).labeled), 1);
  collect(*gram, rows, only_dimensions({1, 2}), options, &summary);
  ASSERT_EQ(summary.warnings.size(), 2u);
  EXPECT_NE(summary.warnings[0].find("d = 1 splits"), std::string::npos) << summary.warnings[0];
  EXPECT_NE(summary.warnings[1].find("d = 2 splits"), std::string::npos) << summary.warnings[1];

  // By default all three are used, whatever the seed.
  options.literal_top_d = false;
  for (const std::uint64_t seed : {1, 2, 3}) {
    blocks = collect(*gram, rows, only_dimensions({1, 2, 3}), options, &summary, {.seed = seed});
    ASSERT_EQ(blocks.size(), 3u);
    ASSERT_EQ(summary.warnings.size(), 1u);
    EXPECT_NE(summary.warnings[0].find("d = 1, 2 would split a set of equal eigenvalues"),
              std::string::npos)
        << summary.warnings[0];
    for (const auto& [key, block] : blocks) {
      EXPECT_EQ(rank_of(block.labeled), 3);
      EXPECT_LT(relative_error(block.labeled, blocks.at({Family::top_d, 2}).labeled), 1e-10);
    }
  }
}

// Samples that no label reaches have their own eigenvalues, and many equal ones leave a choice:
// selection must score what a fit with that d predicts.
TEST(TransformedBlocks, KernelPcaIsThatOfAFit) {
  struct Problem {
    ScoredCase scored;
    std::vector<Index> dimensions;
  };
  std::vector<Problem> problems;
  for (const char* name : {"awkward_symmetric", "awkward_lazy_walk"}) {
    problems.push_back({case_named(name), {1, 2, 3, 5, 8}});
  }
  for (const GraphNormalization normalization :
       {GraphNormalization::symmetric, GraphNormalization::lazy_walk}) {
    const Triangles few(5, 0), many(80, 12);
    for (const Triangles* each : {&few, &many}) {
      Matrix edges = Matrix::Zero(2, each->w.rows());
      edges(0, 1) = edges(1, 4) = edges(1, each->w.rows() - 1) = 1.0;
      // In `many`, d = 2 is followed by too many copies to keep, d = 10 is not.
      problems.push_back({scored_graph("triangles", each->w, normalization, each->labeled,
                                       {1, 5, each->w.rows() - 1}, edges),
                          {1, 2, 10}});
    }
  }
  for (const Problem& problem : problems) {
    const ScoredCase& c = problem.scored;
    SCOPED_TRACE(c.name + " of " + std::to_string(c.kernel.rows()));
    const auto gram = c.make(1);
    const auto cross = std::move(*c.make(1)).into_cross_kernel();
    const auto placed = cross->place(c.fresh);
    const Matrix y = random_matrix(static_cast<Index>(c.labeled.size()), 2, 44);
    const KernelRows seen(*gram, c.labeled, c.scored);
    const KernelRows fresh(*gram, c.labeled, *placed, c.fresh.count(), c.labeled);
    BlockOptions options;
    options.eigen_tolerance = 1e-12;
    for (const KernelRows* rows : {&seen, &fresh}) {
      for (const auto& [key, block] :
           collect(*gram, *rows, only_dimensions(problem.dimensions), options)) {
        SCOPED_TRACE(named(block));
        KernelPcaOptions pca;
        pca.dimension = problem.dimensions[key.second];
        pca.beta = 0.3;
        pca.tolerance = 1e-12;
        const Fit fit = fit_kernel_pca(*gram, c.labeled, y, pca);
        const Matrix found = RidgePath(block.labeled, block.scored, y).predict(0.3);
        Matrix expected = reference::rows_of(fit.fitted, c.scored);
        if (rows == &fresh) {  // labeled samples are scored too, as new samples equal to them
          expected.resize(found.rows(), 2);
          expected << reference::rows_of(fit.fitted, c.labeled), c.cross * fit.coefficients;
        }
        EXPECT_LT(relative_error(found, expected), 1e-8);
      }
    }
  }
}

TEST(TransformedBlocks, LeaveKernelPcaOutWhereLabelsReachNoUnlabeledSample) {
  Matrix w = Matrix::Zero(8, 8);
  for (const auto& [i, j] : {std::pair{0, 1}, {2, 3}, {4, 5}, {6, 7}}) w(i, j) = w(j, i) = 1.0;
  const auto gram = graph_case("pairs", w, GraphNormalization::symmetric).make(1);
  const KernelRows rows(*gram, {0, 1}, {2, 4});
  BlockSummary summary;
  EXPECT_TRUE(collect(*gram, rows, only_dimensions({1, 3}), {}, &summary).empty());
  ASSERT_EQ(summary.warnings.size(), 1u);
  EXPECT_NE(summary.warnings[0].find("that labels reach, and there are none"), std::string::npos)
      << summary.warnings[0];
}

// Weights enter √w K √w and are removed again, WeightedGram: K̂_s = P^-½ s(P^½ G_K P^½) P^-½.
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
    const auto cross = std::move(*make(1)).into_cross_kernel();
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
        precise(dense));
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

TEST(TransformedBlocks, LeaveKernelPcaOutWhereAllSamplesAreLabeled) {
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
    EXPECT_THROW(collect(*gram, rows, grid, {}, nullptr, {.cancel = stop.get_token()}), Cancelled)
        << to_string(family);
  }
  EXPECT_THROW(propagated_blocks(*gram, rows, Matrix::Ones(80, 1), Grid{}, [](auto...) {}, {},
                                 {.cancel = stop.get_token()}),
               Cancelled);
}

TEST(PropagatedBlocks, AreThePartialSumsOfTheReference) {
  for (const char* name : {"awkward_symmetric", "blocks_lazy_walk", "indefinite_kernel"}) {
    SCOPED_TRACE(name);
    const ScoredCase c = case_named(name);
    const reference::Dense dense = c.dense();
    const auto gram = c.make(1);
    const KernelRows rows(*gram, c.labeled, c.scored);
    Grid grid;
    grid.propagation_etas = {0.9, 0.5};
    grid.propagation_steps = {4, 1, 7};  // unordered
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
