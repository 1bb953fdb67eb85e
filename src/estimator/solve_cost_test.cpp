#include "estimator/solve_cost.hpp"

#include <gtest/gtest.h>

#include "estimator/spectral_action.hpp"
#include "linop/counted_operator.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/gram/graph_gram.hpp"

// That measured peaks stay below planned ones is tested in plan/plan_test.
namespace stkr::solve_cost_test {
namespace {

const SolveShape kGraph{.samples = 10'000, .labels = 100, .outputs = 10, .entries = 100'000};
const SpectralTransform kLaplacian = SpectralTransform::inverse_laplacian(0.99);

double products_of(const SolveCost& cost) {
  double total = 0.0;
  for (const Products& products : cost.products) total += products.count * products.columns;
  return total;
}

TEST(SolveCost, AnActionTakesAsManyProductsAsItMakes) {
  const Dataset blocks = stochastic_block_model(std::vector<Index>{60, 60, 60}, 0.3, 0.02, 1);
  const GraphGram gram(blocks.graph().adjacency, {});
  const Matrix b = Matrix::Ones(180, 3);
  const SolveShape shape{.samples = 180, .entries = blocks.graph().adjacency.entries()};
  for (const SpectralTransform& transform :
       {SpectralTransform::power(4), SpectralTransform::polynomial({1.0, 0.0, 2.0}), kLaplacian,
        SpectralTransform::diffusion(0.1), SpectralTransform::diffusion(3.0),
        SpectralTransform::diffusion(30.0), SpectralTransform::diffusion(300.0),
        SpectralTransform::smooth_step(0.8, 16),
        SpectralTransform::sum({{0.5, kLaplacian},
                                {0.1, SpectralTransform::power(4)},
                                {0.2, SpectralTransform::inverse_laplacian(0.9)},
                                {0.3, SpectralTransform::smooth_step(0.5)},
                                {0.4, SpectralTransform::diffusion(2.0)}})}) {
    SCOPED_TRACE(transform.describe());
    const double planned = action_cost(shape, transform, {}).products;
    const SpectralAction action(gram, transform, {.dense_below = 0});
    const long before = action.products();
    Matrix out(180, 3);
    action.apply(b, out);
    EXPECT_LE(static_cast<double>(action.products() - before), planned);
    if (transform.polynomial_coefficients()) {
      EXPECT_EQ(static_cast<double>(action.products() - before), planned);
    }
  }
}

TEST(SolveCost, AnExplicitSystemCostsAColumnPerLabel) {
  const ActionCost action = action_cost(kGraph, kLaplacian, {});
  const RidgeStrategy::Attempt direct{StkrSolver::direct, 1000};
  const SolveCost cost = attempt_cost(kGraph, direct, kLaplacian, action, {});
  EXPECT_EQ(cost.system, 3u * 8 * 100 * 100);
  EXPECT_DOUBLE_EQ(products_of(cost), 100.0 * action.products);
  // In parts, it takes less memory for the same products.
  const Execution thrifty{.block_bytes = 8 * 10'000 * 10};
  const SolveCost parts = attempt_cost(kGraph, direct, kLaplacian, action, thrifty);
  EXPECT_EQ(10 * parts.blocks, cost.blocks);
  EXPECT_DOUBLE_EQ(products_of(parts), products_of(cost));
  // For s(λ) = λ it is a block of the kernel, without any product.
  const SpectralTransform identity = SpectralTransform::power(1);
  EXPECT_EQ(products_of(attempt_cost(kGraph, direct, identity, action, {})), 0.0);
}

TEST(SolveCost, FewerOutputsAtOnceTakeLessMemoryAndAsManyProducts) {
  const ActionCost action = action_cost(kGraph, kLaplacian, {});
  const Execution all, two{.outputs_at_once = 2};
  EXPECT_EQ(kGraph.batches(two), 5.0);
  const SolveCost wide = coefficient_cost(kGraph, action, all);
  const SolveCost narrow = coefficient_cost(kGraph, action, two);
  EXPECT_EQ(5 * narrow.blocks, wide.blocks);
  EXPECT_DOUBLE_EQ(products_of(narrow), products_of(wide));
}

TEST(SolveCost, EigenvectorsAreDenseForFewSamples) {
  SolveShape points{.samples = 3000};
  EXPECT_EQ(eigenvector_memory(points, 10, 4000).most, 7u * 8 * 3000 * 3000);
  EXPECT_LT(eigenvector_memory(points, 10, 1000).most, 8u * 3000 * 3000);
  const EigenpairMemory some = eigenvector_memory(kGraph, 32, 4000);
  EXPECT_GT(some.most, some.expected);
  EXPECT_GT(some.expected, 8u * 10'000 * 32);
}

}  // namespace
}  // namespace stkr::solve_cost_test
