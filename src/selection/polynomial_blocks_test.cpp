#include "selection/polynomial_blocks.hpp"

#include <gtest/gtest.h>

#include "collected_blocks.hpp"

namespace stkr::polynomial_blocks_test {
namespace {

using namespace cases;
using reference::relative_error;

// The transforms and the same as points of a grid, for the reference.
struct Example {
  SpectralTransform transform;
  Family family;
  double parameter;
};

TEST(PolynomialBlocks, AgreeWithTheReferenceInAnyNumberOfBatches) {
  for (const ScoredCase& c : scored_cases()) {
    SCOPED_TRACE(c.name);
    const reference::Dense dense = c.dense();
    const double unit = 1.0 / dense.largest();
    const std::vector<Example> examples{
        {SpectralTransform::power(3), Family::power, 3.0},
        {SpectralTransform::diffusion(1.3 * unit), Family::diffusion, 1.3 * unit},
        {SpectralTransform::power(1), Family::power, 1.0},
        {SpectralTransform::diffusion(0.2 * unit), Family::diffusion, 0.2 * unit}};
    std::vector<SpectralTransform> transforms;
    for (const Example& example : examples) transforms.push_back(example.transform);
    const auto gram = c.make(1);
    const auto cross = c.make(1)->cross_kernel();
    const auto placed = cross->place(c.fresh);
    const KernelRows rows(*gram, c.labeled, *placed, c.fresh.count(), c.scored);
    const Index labels = rows.labels();
    for (const Index at_once : {labels, Index{1}}) {
      std::vector<Matrix> blocks(transforms.size(), Matrix::Zero(labels + rows.scored(), labels));
      const PolynomialSummary summary =
          polynomial_blocks(*gram, rows, transforms, at_once, {}, blocks);
      EXPECT_TRUE(summary.warnings.empty());
      EXPECT_EQ(summary.products % (labels / at_once), 0);
      EXPECT_GT(summary.products, 3 * (labels / at_once));  // of the powers, and the series
      for (std::size_t k = 0; k < examples.size(); ++k) {
        SCOPED_TRACE(transforms[k].describe());
        const Matrix exact =
            reference::columns_of(exact_kernel(dense, c.cross, examples[k].family,
                                               examples[k].parameter, Grid{}, c.labeled),
                                  c.labeled);
        Matrix expected(blocks[k].rows(), labels);
        expected << reference::rows_of(exact, c.labeled), reference::rows_of(exact, c.scored),
            exact.bottomRows(c.cross.rows());
        EXPECT_LT(relative_error(blocks[k], expected), 1e-7);
      }
    }
  }
}

TEST(PolynomialBlocks, TakeTheProductsOfTheHighestPowerOnly) {
  const ScoredCase c = case_named("blocks_lazy_walk");
  const auto gram = c.make(1);
  const KernelRows rows(*gram, c.labeled, c.scored);
  std::vector<Matrix> blocks(2, Matrix::Zero(rows.labels() + rows.scored(), rows.labels()));
  const std::vector<SpectralTransform> transforms{SpectralTransform::power(5),
                                                  SpectralTransform::polynomial({1.0, 0.0, 1.0})};
  EXPECT_EQ(polynomial_blocks(*gram, rows, transforms, rows.labels(), {}, blocks).products, 5);
}

}  // namespace
}  // namespace stkr::polynomial_blocks_test
