#include "plan/process_plan.hpp"

#include <gtest/gtest.h>

#include "stkr/error.hpp"

namespace stkr::process_plan_test {
namespace {

constexpr ProblemShape kGraph{.kind = DatasetKind::graph,
                              .samples = 1'000'000,
                              .entries = 20'000'000,
                              .labeled = 1000,
                              .outputs = 10};

Plan planned(Index processes, std::uint64_t memory = 0, GraphShare share = {}) {
  if (share.most_rows == 0) share = equal_share(kGraph.samples, kGraph.entries, processes);
  return plan_process(graph_process_share(kGraph, share), Context{.memory = memory},
                      [](const ProblemShape& shape, const Context& context) {
                        return plan_fit(shape, {}, context);
                      });
}

std::uint64_t bytes(const Plan& plan) { return plan.strategies[*plan.chosen].peak.total(); }

TEST(ProcessPlan, AShareTakesLessThanTheWhole) {
  const auto use = [](const Plan& plan) { return plan.strategies[*plan.chosen].peak; };
  EXPECT_GT(bytes(planned(1)), bytes(plan_fit(kGraph, {})));
  EXPECT_LT(bytes(planned(8)), bytes(planned(1)));
  EXPECT_EQ(use(planned(8)).samples, use(planned(1)).samples / 8);
  EXPECT_EQ(use(planned(8)).gram, use(planned(1)).gram / 8);
}

TEST(ProcessPlan, AProcessHasAWholeHub) {
  // A row with a quarter of all entries.
  const GraphShare hub{.most_rows = 150'000, .fewest_rows = 1, .entries = 5'000'000};
  EXPECT_GT(bytes(planned(8, 0, hub)), bytes(planned(8)));
  EXPECT_EQ(graph_process_share(kGraph, hub).others, 999'999);
}

TEST(ProcessPlan, TheHaloIsNoLargerThanTheEntries) {
  EXPECT_EQ(graph_process_share(kGraph, equal_share(kGraph.samples, kGraph.entries, 1)).others, 0);
  const GraphShare few{.most_rows = 100, .fewest_rows = 90, .entries = 2000};
  EXPECT_EQ(graph_process_share(kGraph, few).others, 2000);
}

TEST(ProcessPlan, TheBudgetIsThatOfAProcess) {
  const Plan all = planned(4);
  EXPECT_EQ(all.memory, 0u);
  const std::uint64_t least = bytes(planned(4, bytes(all)));
  EXPECT_LE(least, bytes(all));
  const Plan enough = planned(4, bytes(all));
  EXPECT_EQ(enough.memory, bytes(all));
  EXPECT_TRUE(enough.chosen);
  // Not even the libraries fit.
  const Plan nothing = planned(4, 1000);
  EXPECT_FALSE(nothing.chosen);
  EXPECT_THROW(chosen_execution(nothing), MemoryError);
}

}  // namespace
}  // namespace stkr::process_plan_test
