#include "thread_pool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

#include "runtime/parallel.hpp"

namespace stkr::thread_pool_test {
namespace {

using namespace std::chrono_literals;

// The number of threads that take part if every task waits for the others, for at most a second.
std::size_t threads_that_met(int threads) {
  std::atomic<int> arrived = 0;
  std::vector<std::thread::id> who(threads);
  parallel_tasks(threads, threads, [&](Index task) {
    who[task] = std::this_thread::get_id();
    ++arrived;
    const auto end = std::chrono::steady_clock::now() + 1s;
    while (arrived < threads && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(1ms);
    }
  });
  return std::set<std::thread::id>(who.begin(), who.end()).size();
}

TEST(ThreadPool, RunsAsManyThreadsAsAreAskedFor) {
  for (const int threads : {1, 2, 3, 8, 2}) {
    EXPECT_EQ(threads_that_met(threads), static_cast<std::size_t>(threads));
  }
}

TEST(ThreadPool, GivesEveryCallerItsOwnThreads) {
  std::vector<std::size_t> met(3);
  std::vector<std::thread> callers;
  for (std::size_t k = 0; k < met.size(); ++k) {
    callers.emplace_back([&, k] { met[k] = threads_that_met(4); });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(met, std::vector<std::size_t>(3, 4));
}

TEST(ThreadPool, RunsARegionInsideARegionOnItsThread) {
  std::atomic<int> strangers = 0;
  parallel_tasks(4, 4, [&](Index) {
    const auto self = std::this_thread::get_id();
    parallel_tasks(20, 4, [&](Index) { strangers += std::this_thread::get_id() != self; });
  });
  EXPECT_EQ(strangers, 0);
}

TEST(ThreadPool, SumsRightOverManyShortRegions) {
  std::vector<long> sums(64, 0);
  for (int round = 0; round < 20'000; ++round) {
    parallel_tasks(64, 3, [&](Index task) { sums[task] += task; });
  }
  for (Index task = 0; task < 64; ++task) EXPECT_EQ(sums[task], 20'000 * task);
}

TEST(ThreadPool, WaitsWithoutUsingProcessorTime) {
  threads_that_met(8);
  const auto used = [] {
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    return std::chrono::seconds(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           std::chrono::microseconds(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
  };
  const auto before = used();
  std::this_thread::sleep_for(300ms);
  EXPECT_LT(used() - before, 150ms);  // eight spinning threads use seconds
}

TEST(ThreadPool, WorksInTheChildOfAFork) {
  threads_that_met(3);
  const pid_t child = fork();
  if (child == 0) _exit(threads_that_met(3) == 3 ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(threads_that_met(3), 3u);
}

TEST(ThreadPool, GoesOnWithFewerWhereNoThreadCanBeStarted) {
  // Runs in a child process, before any region has started workers. The remaining address space is
  // too small for a stack.
  const pid_t child = fork();
  if (child == 0) {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t most = pages * static_cast<rlim_t>(getpagesize()) + (rlim_t{4} << 20);
    const rlimit limit{most, most};
    if (pages == 0 || setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
    int sum = 0;  // not atomic: only one thread runs
    parallel_tasks(100, 5, [&](Index task) { sum += static_cast<int>(task); });
    _exit(sum == 4950 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace stkr::thread_pool_test
