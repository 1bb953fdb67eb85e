// Kernel PCA among the blocks of a grid: which d are left out, and what they are.

#include <gtest/gtest.h>

#include "collected_blocks.hpp"
#include "estimator/kernel_pca.hpp"
#include "estimator/ridge_path.hpp"
#include "stkr/error.hpp"

namespace stkr::kernel_pca_blocks_test {
namespace {

using namespace cases;
using reference::relative_error;

TEST(KernelPcaBlocks, LeaveOutDimensionsAboveTheNumberOfPositiveEigenvalues) {
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

TEST(KernelPcaBlocks, WarnOfADimensionThatPartsEqualEigenvalues) {
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
TEST(KernelPcaBlocks, KernelPcaIsThatOfAFit) {
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
    const auto cross = c.make(1)->cross_kernel();
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

TEST(KernelPcaBlocks, LeaveKernelPcaOutWhereLabelsReachNoUnlabeledSample) {
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
TEST(KernelPcaBlocks, LeaveKernelPcaOutWhereAllSamplesAreLabeled) {
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

}  // namespace
}  // namespace stkr::kernel_pca_blocks_test
