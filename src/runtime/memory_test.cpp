#include "runtime/memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::memory_test {
namespace {

constexpr std::uint64_t kMega = 1'000'000;

class MemoryOf : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::uint64_t available() { return available_memory(folder_ / ""); }

  stkr::testing::TemporaryFolder folder_;
};

TEST_F(MemoryOf, AMachineIsWhatLinuxCallsAvailable) {
  write("proc/meminfo", "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:    5000 kB\n");
  EXPECT_EQ(available(), 5000u * 1024);
}

TEST_F(MemoryOf, AContainerIsWhatItsGroupsLeave) {
  write("proc/meminfo", "MemAvailable: 900000 kB\n");
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  write("sys/fs/cgroup/outer/inner/memory.current", "7000000\n");
  EXPECT_EQ(available(), 900000u * 1024);
  // The parent group has a limit; a third of its usage can be reclaimed.
  write("sys/fs/cgroup/outer/memory.max", "50000000\n");
  write("sys/fs/cgroup/outer/memory.current", "30000000\n");
  EXPECT_EQ(available(), 20 * kMega);
  write("sys/fs/cgroup/outer/memory.stat", "anon 20000000\ninactive_file 10000000\n");
  EXPECT_EQ(available(), 30 * kMega);
  // If usage exceeds the limit, nothing is left and nothing wraps around.
  write("sys/fs/cgroup/outer/memory.current", "80000000\n");
  EXPECT_EQ(available(), 0u);
}

TEST_F(MemoryOf, GroupsOfTheFirstVersionCountToo) {
  write("proc/meminfo", "MemAvailable: 900000 kB\n");
  write("proc/self/cgroup", "5:cpu,memory:/job\n1:pids:/other\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "40000000\n");
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "15000000\n");
  EXPECT_EQ(available(), 25 * kMega);
}

TEST_F(MemoryOf, ALimitedAddressSpaceIsWhatTheProcessLeaves) {
  write("proc/meminfo", "MemAvailable: 900000000 kB\n");
  write("proc/self/statm", "1000 10 10 10 0 10 0\n");
  rlimit old = {};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &old), 0);
  const rlimit limit = {rlim_t{1} << 38, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
  const std::uint64_t found = available();
  ::setrlimit(RLIMIT_AS, &old);
  EXPECT_EQ(found, (std::uint64_t{1} << 38) - 1000u * static_cast<unsigned>(::getpagesize()));
}

TEST(Memory, ThisMachineHasSome) {
  EXPECT_GT(available_memory(), kMega);
  EXPECT_LT(available_memory(), std::uint64_t{1} << 60);
}

TEST(Memory, SizesAreRead) {
  EXPECT_EQ(parse_memory("4GB", 0), 4000 * kMega);
  EXPECT_EQ(parse_memory("1.5 mb", 0), 1'500'000u);
  EXPECT_EQ(parse_memory("512 MiB", 0), std::uint64_t{512} << 20);
  EXPECT_EQ(parse_memory("2e9", 0), 2000 * kMega);
  EXPECT_EQ(parse_memory("80%", 1000), 800u);
  EXPECT_EQ(parse_memory("100 %", 1000), 1000u);
}

TEST(Memory, OtherTextIsRefused) {
  for (const char* text :
       {"", "0", "0%", "-1GB", "banana", "4 apples", "nan", "inf", "200%", "GB"}) {
    EXPECT_THROW(parse_memory(text, 1000), ValueError) << text;
  }
}

TEST(Memory, SizesAreShownInThreeDigits) {
  EXPECT_EQ(format_bytes(512), "512 bytes");
  EXPECT_EQ(format_bytes(1'500'000), "1.50 MB");
  EXPECT_EQ(format_bytes(23'400'000'000), "23.4 GB");
  EXPECT_EQ(format_bytes(999'600), "1.00 MB");
  EXPECT_EQ(parse_memory(format_bytes(345'000'000), 0), 345 * kMega);
}

}  // namespace
}  // namespace stkr::memory_test
