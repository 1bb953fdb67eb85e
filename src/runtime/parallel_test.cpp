#include "runtime/parallel.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace stkr::parallel_test {
namespace {

TEST(Parallel, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 5}) {
    std::vector<int> runs(103, 0);
    parallel_tasks(103, threads, [&](Index task) { ++runs[task]; });
    EXPECT_EQ(runs, std::vector<int>(103, 1)) << threads << " threads";
  }
}

TEST(Parallel, CutsBySizeNotByThreads) {
  std::vector<Index> ends(4);
  parallel_chunks(10, 3, 2, [&](Index begin, Index end) { ends[begin / 3] = end; });
  EXPECT_EQ(ends, (std::vector<Index>{3, 6, 9, 10}));
}

TEST(Parallel, RethrowsTheExceptionOfTheFirstFailingTask) {
  for (const int threads : {1, 2}) {
    try {
      parallel_tasks(50, threads, [](Index task) {
        if (task % 20 == 7) throw std::runtime_error(std::to_string(task));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
  }
}

}  // namespace
}  // namespace stkr::parallel_test
