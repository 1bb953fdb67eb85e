#include "plan/run_time.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stkr::run_time_test {
namespace {

ProblemShape points(Index samples) {
  return {.kind = DatasetKind::points,
          .samples = samples,
          .features = 10,
          .labeled = 100,
          .outputs = 5};
}

Specification dense() {
  Specification spec;
  spec.kernel = PointKernelSpec{};
  return spec;
}

Specification neighbors() {
  Specification spec;
  spec.kernel = NeighborGraphSpec{};
  return spec;
}

TEST(RunTime, IsWorkDividedByRates) {
  const Rates rates{.evaluations = 10, .dense = 100, .sparse = 7, .pairs = 1000, .algebra = 50};
  // 40 operations per evaluation of a kernel with 10 features: 400 of 2400 operations.
  const Work work{
      .products = 3, .evaluations = 10, .operations = 2400, .pairs = 4000, .algebra = 300};
  const RunTime time = run_time(points(1000), dense(), work, rates);
  const double iterated = 2000.0 / 100.0 + 1.0, fixed = 0.05 + 4.0 + 6.0;
  EXPECT_NEAR(time.most, iterated + 1.5 * fixed, 1e-9);
  EXPECT_NEAR(time.least, 0.2 * iterated + fixed / 1.5, 1e-9);
  EXPECT_NEAR(time.middle(), std::sqrt(time.least * time.most), 1e-9);
  // Products with a neighbor graph are sparse.
  const Work products{.products = 1, .operations = 700};
  EXPECT_NEAR(run_time(points(1000), neighbors(), products, rates).most, 100.0 + 0.075, 1e-9);
}

TEST(RunTime, IsMeasuredOnThisMachine) {
  for (const Specification& spec : {dense(), neighbors()}) {
    const Rates rates = measure_rates(points(5000), spec, {.threads = 1});
    for (const double rate :
         {rates.evaluations, rates.dense, rates.sparse, rates.pairs, rates.algebra}) {
      EXPECT_TRUE(std::isfinite(rate));
      EXPECT_GT(rate, 1e5);
      EXPECT_LT(rate, 1e15);
    }
  }
}

TEST(RunTime, SaysHowLongInWords) {
  EXPECT_EQ(describe(RunTime{0.1, 0.6}), "less than a second");
  EXPECT_EQ(describe(RunTime{0.7, 2.2}), "about 0.7 to 2 s");
  EXPECT_EQ(describe(RunTime{30, 72}), "about 30 to 72 s");
  EXPECT_EQ(describe(RunTime{123, 456}), "about 2 to 8 minutes");
  EXPECT_EQ(describe(RunTime{7200, 14400}), "about 2 to 4 hours");
  EXPECT_EQ(describe(RunTime{3.0, 3.1}), "about 3 s");
}

TEST(RunTime, TellsDenseKernelsFromSparseOnes) {
  EXPECT_TRUE(is_dense(points(100), dense()));
  EXPECT_FALSE(is_dense(points(100), neighbors()));
  EXPECT_FALSE(is_dense({.kind = DatasetKind::graph, .samples = 10, .entries = 20}, {}));
}

TEST(RunTime, GrowsWithTheSearchForNeighbors) {
  const Plan small = plan_fit(points(1000), neighbors()),
             large = plan_fit(points(10'000), neighbors());
  EXPECT_NEAR(large.strategies.front().work.pairs, 100.0 * small.strategies.front().work.pairs,
              1.0);
  EXPECT_EQ(plan_fit(points(1000), dense()).strategies.front().work.pairs, 0.0);
}

}  // namespace
}  // namespace stkr::run_time_test
