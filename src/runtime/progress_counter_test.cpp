#include "runtime/progress_counter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/parallel.hpp"

namespace stkr::progress_counter_test {
namespace {

TEST(ProgressCounter, ReportsTheStartAndTheEnd) {
  std::vector<std::int64_t> seen;
  const ProgressSink sink = [&](const Progress& progress) {
    EXPECT_EQ(std::string(progress.phase), "search");
    EXPECT_EQ(progress.total, 1000);
    seen.push_back(progress.done);
  };
  ProgressCounter counter(sink, "search", 1000);
  for (int k = 0; k < 1000; ++k) counter.add();
  ASSERT_GE(seen.size(), 2u);
  EXPECT_LT(seen.size(), 1000u);  // rarely in between
  EXPECT_EQ(seen.front(), 0);
  EXPECT_EQ(seen.back(), 1000);
}

TEST(ProgressCounter, CountsStepsOfAllThreads) {
  std::atomic<std::int64_t> last = 0;
  std::atomic<int> inside = 0;
  const ProgressSink sink = [&](const Progress& progress) {
    EXPECT_EQ(++inside, 1);  // one report at a time
    last = progress.done;
    --inside;
  };
  ProgressCounter counter(sink, "search", 3999);
  parallel_tasks(1333, 4, [&](Index) { counter.add(3); });
  counter.add(0);  // the last thread may have found another one reporting
  EXPECT_EQ(last, 3999);
}

TEST(ProgressCounter, NeedsNoSink) {
  const ProgressSink none;
  ProgressCounter counter(none, "search", 3);
  EXPECT_NO_THROW(counter.add(3));
}

}  // namespace
}  // namespace stkr::progress_counter_test
