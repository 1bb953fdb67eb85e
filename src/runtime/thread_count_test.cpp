#include "runtime/thread_count.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "temporary_folder.hpp"

namespace stkr::thread_count_test {
namespace {

namespace fs = std::filesystem;

// Tests run without OMP_NUM_THREADS, which the destructor restores.
class ThreadCount : public ::testing::Test {
 protected:
  ThreadCount() {
    if (const char* value = std::getenv("OMP_NUM_THREADS")) before_ = value;
    unsetenv("OMP_NUM_THREADS");
    cores_ = default_threads(folder_ / "nothing");
  }
  ~ThreadCount() override {
    unsetenv("OMP_NUM_THREADS");
    if (before_) setenv("OMP_NUM_THREADS", before_->c_str(), 1);
  }
  void write(const fs::path& name, const std::string& text) {
    const fs::path path = folder_ / name.string();
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  int available() { return default_threads(folder_ / ""); }

  stkr::testing::TemporaryFolder folder_;
  std::optional<std::string> before_;
  int cores_ = 0;
};

TEST_F(ThreadCount, IsTheCoresOfTheProcess) {
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  EXPECT_EQ(cores_, CPU_COUNT(&mask));
}

TEST_F(ThreadCount, ObeysTheAffinityMask) {
  int count = 0;
  std::thread([&] {
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) count = available();
  }).join();
  EXPECT_EQ(count, 1);
}

TEST_F(ThreadCount, ObeysQuotasOfControlGroups) {
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  EXPECT_EQ(available(), cores_);
  write("sys/fs/cgroup/outer/cpu.max", "90000 100000\n");
  EXPECT_EQ(available(), 1);
  write("sys/fs/cgroup/outer/cpu.max", "130000 100000\n");
  EXPECT_EQ(available(), std::min(cores_, 2)) << "rounded up";

  write("proc/self/cgroup", "4:cpu,cpuacct:/job\n1:pids:/other\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(available(), cores_);
  write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "50000\n");
  EXPECT_EQ(available(), 1);
}

TEST_F(ThreadCount, ObeysTheEnvironment) {
  for (const char* one : {"1", " 1", "1,4", "1 "}) {
    setenv("OMP_NUM_THREADS", one, 1);
    EXPECT_EQ(available(), 1) << one;
  }
  for (const char* none : {"", "many", "0", "-1", "1000000", "99999999999999999999", "1x"}) {
    setenv("OMP_NUM_THREADS", none, 1);
    EXPECT_EQ(available(), cores_) << none;
  }
}

}  // namespace
}  // namespace stkr::thread_count_test
