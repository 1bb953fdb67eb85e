#include "plan/run_cost.hpp"

#include <gtest/gtest.h>

#include "specification/kernel_cost.hpp"

namespace stkr::run_cost_test {
namespace {

constexpr ProblemShape kPoints{
    .kind = DatasetKind::points, .samples = 10'000, .features = 50, .labeled = 100, .outputs = 10};
constexpr ProblemShape kGraph{.kind = DatasetKind::graph,
                              .samples = 1'000'000,
                              .entries = 20'000'000,
                              .labeled = 100,
                              .outputs = 10};

TEST(RunCost, KeptTilesAreEvaluatedOnce) {
  const GramCost gram = kernel_cost(kPoints, {});
  Work evaluated, kept;
  add_products(kPoints, gram, Tiles::evaluated, {10, 5}, evaluated);
  add_products(kPoints, gram, Tiles::kept, {4, 5}, kept);
  add_products(kPoints, gram, Tiles::kept, {6, 5}, kept);
  EXPECT_EQ(kept.products, 10);
  EXPECT_EQ(evaluated.products, 10);
  EXPECT_DOUBLE_EQ(evaluated.evaluations, 10 * kept.evaluations);
  EXPECT_LT(kept.operations, evaluated.operations);
  Work graph;
  add_products(kGraph, kernel_cost(kGraph, {}), Tiles::evaluated, {10, 5}, graph);
  EXPECT_EQ(graph.evaluations, 0);
  EXPECT_DOUBLE_EQ(graph.operations, 10.0 * 5 * 2 * 20e6);
}

TEST(RunCost, ThePeakIsThatOfTheLargestPhase) {
  const GramCost gram{.samples = 1000, .gram = 100, .preparing = 5000, .entries = 20'000'000};
  const std::uint64_t program = program_memory(kGraph);
  const auto priced = [&](const SolveCost& step) {
    RunCost cost(kGraph, gram, {}, {});
    cost.add(step);
    cost.end(0);
    return std::move(cost).strategy("some way");
  };
  const Strategy small = priced({.blocks = 1});
  EXPECT_EQ(small.name, "some way");
  // The end holds 48 bytes per sample.
  EXPECT_EQ(small.peak.phase, "ending");
  EXPECT_EQ(small.peak.total(), program + 48'000'000);
  const Strategy solving = priced({.blocks = 50'000'000, .system = 7, .model = 3});
  EXPECT_EQ(solving.peak.phase, "solving");
  EXPECT_EQ(solving.peak.total(), program + 1100 + 50'000'010);
  EXPECT_EQ(solving.expected, solving.peak.total());
  // A retry counts towards the peak only.
  const Strategy retried = priced({.blocks = 50'000'000, .algebra = 12.0, .retry = true});
  EXPECT_EQ(retried.peak.phase, "solving");
  EXPECT_EQ(retried.expected, small.peak.total());
  EXPECT_EQ(retried.work.algebra, 12.0);
}

}  // namespace
}  // namespace stkr::run_cost_test
