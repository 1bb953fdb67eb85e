#include "plan/make_plan.hpp"

#include <gtest/gtest.h>

#include "handle_backend.hpp"
#include "plan/run_cost.hpp"
#include "specification/kernel_cost.hpp"

namespace stkr::make_plan_test {
namespace {

const ProblemShape kShape{.samples = 1000, .labeled = 16, .outputs = 8};

// A way whose memory is that of its blocks, plus 1 MB for dense matrices.
Strategy priced(const Execution& way) {
  Strategy strategy;
  strategy.name = way.single_precision ? "single" : "double";
  strategy.execution = way;
  strategy.peak.blocks = way.block_bytes + (way.factorize_below > 0 ? 1'000'000 : 0);
  return strategy;
}

Plan plan_within(std::uint64_t memory, const std::vector<Execution>& ways = {Execution{}}) {
  const Thrift thrift{.block_bytes = 10'000'000, .widest = 16, .outputs = true};
  return make_plan(kShape, ways, [&](const Execution&) { return thrift; }, priced,
                   {.memory = memory});
}

TEST(MakePlan, TakesTheLargestBlocksWithoutABudget) {
  const Plan plan = plan_within(0);
  ASSERT_EQ(plan.chosen, 0u);
  EXPECT_EQ(plan.strategies[0].execution.block_bytes, 10'000'000u);
  EXPECT_EQ(plan.strategies[0].execution.factorize_below, Execution{}.factorize_below);
  EXPECT_EQ(plan.why, "the fastest strategy fits");
}

TEST(MakePlan, SavesDenseMatricesFirstThenColumns) {
  const Execution some = plan_within(130'000).strategies[0].execution;
  EXPECT_EQ(some.factorize_below, 0);
  EXPECT_EQ(some.block_bytes, 8u * 1000 * 16);
  EXPECT_EQ(some.outputs_at_once, 0);
  const Execution fewer = plan_within(40'000).strategies[0].execution;
  EXPECT_EQ(fewer.block_bytes, 8u * 1000 * 4);
  EXPECT_EQ(fewer.outputs_at_once, 4);
}

TEST(MakePlan, ReportsThatNothingFits) {
  const Plan plan = plan_within(1000);
  EXPECT_FALSE(plan.chosen);
  EXPECT_EQ(plan.strategies[0].execution.block_bytes, 8u * 1000);
  EXPECT_EQ(plan.why, "no strategy fits");
}

TEST(MakePlan, ChoosesTheFirstWayThatFits) {
  Execution single;
  single.single_precision = true;
  const auto price = [](const Execution& way) {
    Strategy strategy = priced(way);
    strategy.peak.samples = way.single_precision ? 500'000 : 1'000'000;
    return strategy;
  };
  const Plan plan =
      make_plan(kShape, {Execution{}, single}, [](const Execution&) { return Thrift{}; }, price,
                {.memory = 600'000});
  ASSERT_EQ(plan.chosen, 1u);
  EXPECT_EQ(plan.strategies[1].name, "single");
  EXPECT_NE(plan.why.find("'double' would take"), std::string::npos) << plan.why;
  EXPECT_NE(plan.why.find("rounded to single"), std::string::npos) << plan.why;
}

constexpr ProblemShape kPoints{
    .kind = DatasetKind::points, .samples = 10'000, .features = 50, .labeled = 100, .outputs = 10};
constexpr ProblemShape kGraph{.kind = DatasetKind::graph,
                              .samples = 1'000'000,
                              .entries = 20'000'000,
                              .labeled = 100,
                              .outputs = 10};

TEST(MakePlan, KeepingTilesIsAWayWhereItPays) {
  const auto ways = [](const ProblemShape& shape, double products, bool may_round) {
    Specification spec;
    if (may_round) spec.precision = Precision::single_if_needed;
    std::vector<std::string> names;
    for (const Execution& way : gram_executions(shape, spec, products)) {
      names.push_back(describe_gram(shape, kernel_cost(shape, spec, way), way));
    }
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(ways(kPoints, 100, false), (Names{"kernel stored", "kernel recomputed"}));
  EXPECT_EQ(ways(kPoints, 2, true), (Names{"kernel recomputed", "kernel recomputed, single"}));
  ProblemShape many = kPoints;
  many.samples = 1'000'000;
  EXPECT_EQ(ways(many, 100, false), Names{"kernel recomputed"});
  EXPECT_EQ(ways(kGraph, 100, true), Names{"graph"});
}

TEST(MakePlan, ADeviceKeepsNoTiles) {
  const auto keeps = [](const Specification& spec, const ProblemShape& shape) {
    const auto ways = gram_executions(shape, spec, 100, handle::test_device());
    return ways.front().tiles == Tiles::kept;
  };
  EXPECT_FALSE(keeps({}, kPoints));
  // What it leaves to the host is kept there.
  Specification own;
  own.kernel = Kernel::custom({.name = "own", .formula = OfPoints{[](auto, auto) { return 1.0; }}});
  EXPECT_TRUE(keeps(own, kPoints));
  ProblemShape sparse = kPoints;
  sparse.feature_entries = 90'000;
  EXPECT_TRUE(keeps({}, sparse));
}

// 1,500 texts of 60 words out of 12,000.
constexpr ProblemShape kTexts{.kind = DatasetKind::points,
                              .samples = 1500,
                              .features = 12'000,
                              .feature_entries = 90'000,
                              .labeled = 100,
                              .outputs = 10};

TEST(MakePlan, FewProductsAreEnoughToKeepAnExpensiveKernel) {
  const auto keeps = [](const ProblemShape& shape, double products) {
    return gram_executions(shape, Specification{}, products).front().tiles == Tiles::kept;
  };
  ProblemShape wide = kTexts;
  wide.feature_entries = 0;
  EXPECT_TRUE(keeps(wide, 2));  // 12,000 dense features
  EXPECT_TRUE(keeps(kTexts, 2));
  EXPECT_FALSE(keeps(kPoints, 2));
  EXPECT_TRUE(keeps(kPoints, 3));
  ProblemShape plane = kPoints;
  plane.features = 2;
  EXPECT_FALSE(keeps(plane, 5));
  EXPECT_TRUE(keeps(plane, 6));
}

TEST(MakePlan, SparsePointsAreNeverRounded) {
  Specification spec;
  spec.precision = Precision::single_if_needed;
  for (const Execution& way : gram_executions(kTexts, spec, 100)) {
    EXPECT_FALSE(way.single_precision);
  }
}

}  // namespace
}  // namespace stkr::make_plan_test
