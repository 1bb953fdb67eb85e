#include "reproduction/work_clock.hpp"

#include <gtest/gtest.h>

namespace stkr::work_clock_test {
namespace {

Experiment experiment(Family family) {
  Experiment result;
  result.family = family;
  return result;
}

TEST(WorkClock, KnowsNothingBeforeTheFirstMeasurement) {
  WorkClock clock;
  clock.plan(paper_dataset("cora"), experiment(Family::power));
  EXPECT_LT(clock.seconds_left(), 0.0);
}

TEST(WorkClock, ScalesTheMeasuredTimeOfAFamily) {
  const PaperDataset& cora = paper_dataset("cora");
  WorkClock clock;
  for (int k = 0; k < 4; ++k) clock.plan(cora, experiment(Family::power));
  clock.finish(cora, experiment(Family::power), 2.0);
  EXPECT_NEAR(clock.seconds_left(), 6.0, 1e-9);
  clock.skip(cora, experiment(Family::power));
  EXPECT_NEAR(clock.seconds_left(), 4.0, 1e-9);
}

TEST(WorkClock, UsesTheMeanRateForFamiliesWithoutAMeasurement) {
  const PaperDataset& cora = paper_dataset("cora");
  WorkClock clock;
  clock.plan(cora, experiment(Family::power));
  clock.plan(cora, experiment(Family::top_d));
  clock.finish(cora, experiment(Family::power), 2.0);
  EXPECT_GT(clock.seconds_left(), 2.0);  // kernel PCA is more work
}

}  // namespace
}  // namespace stkr::work_clock_test
