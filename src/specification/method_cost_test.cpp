#include "specification/method_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "named_specification.hpp"
#include "specification/kernel_cost.hpp"

// That measured peaks stay below planned ones, and that fits run the solver that is named here, is
// tested in plan/plan_test.
namespace stkr::method_cost_test {
namespace {

constexpr ProblemShape kGraph{.kind = DatasetKind::graph,
                              .samples = 100'000,
                              .entries = 2'000'000,
                              .labeled = 100,
                              .outputs = 10};

MethodCost cost_of(const Specification& spec, const Execution& execution = {}) {
  return method_cost(kGraph, spec, kernel_cost(kGraph, spec, execution), execution);
}

TEST(MethodCost, NamesTheSolver) {
  EXPECT_EQ(cost_of(testing::method({.solver = "cg"})).solver, "iterative");
  EXPECT_EQ(cost_of(testing::method({.solver = "direct"})).solver, "explicit system");
  EXPECT_EQ(cost_of(testing::method({.method = "kernel-pca"})).solver, "eigenvectors");
  EXPECT_EQ(cost_of(testing::method({.method = "label-propagation"})).solver, "iterative");
}

TEST(MethodCost, MarksTheSecondAttemptAsARetry) {
  const MethodCost cost = cost_of({});
  ASSERT_EQ(cost.solver, "iterative, else explicit system");
  const auto retries = [](const MethodCost& of) {
    return std::count_if(of.steps.begin(), of.steps.end(),
                         [](const SolveCost& step) { return step.retry; });
  };
  EXPECT_EQ(retries(cost), 1);
  EXPECT_EQ(retries(cost_of(testing::method({.solver = "cg"}))), 0);
  // The retry factorizes the system.
  for (const SolveCost& step : cost.steps) EXPECT_EQ(step.algebra, step.retry ? 1e6 : 0.0);
}

TEST(MethodCost, BatchesOfOutputsHoldTheResultsOfEarlierOnes) {
  const Specification spec = testing::method({.solver = "cg"});
  const MethodCost all = cost_of(spec), two = cost_of(spec, {.outputs_at_once = 2});
  ASSERT_EQ(all.steps.size(), two.steps.size());
  std::uint64_t held = 0;
  bool less = false;
  for (std::size_t k = 0; k < all.steps.size(); ++k) {
    EXPECT_LE(two.steps[k].blocks, all.steps[k].blocks);
    less |= two.steps[k].blocks < all.steps[k].blocks;
    held += two.steps[k].model - all.steps[k].model;
  }
  EXPECT_TRUE(less);
  EXPECT_EQ(held, 2u * 8 * 10 * 100'000);  // while solving, and for the coefficients
}

TEST(MethodCost, AnEmbeddingIsPartOfTheModel) {
  Specification spec;
  const std::uint64_t without = cost_of(spec).model;
  spec.embedding = 4;
  EXPECT_EQ(cost_of(spec).model, without + 8u * 4 * 100'000);
}

}  // namespace
}  // namespace stkr::method_cost_test
