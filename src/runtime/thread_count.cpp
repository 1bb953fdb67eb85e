#include "runtime/thread_count.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "control_groups.hpp"

namespace stkr {
namespace {

int cores_of_the_process() {
  // Doubles the mask until it covers every core of the machine.
  for (int cores = 1024; cores <= 1 << 20; cores *= 2) {
    cpu_set_t* mask = CPU_ALLOC(cores);
    const std::size_t size = CPU_ALLOC_SIZE(cores);
    const bool known = sched_getaffinity(0, size, mask) == 0;
    const int count = known ? CPU_COUNT_S(size, mask) : 0;
    CPU_FREE(mask);
    if (known) return count;
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

// The number of cores that a group may keep busy; infinite without a quota.
double quota_of(const detail::ControlGroup& group) {
  double quota = 0.0, period = 0.0;
  if (group.unified) {  // "200000 100000", or "max 100000"
    std::ifstream(group.folder / "cpu.max") >> quota >> period;
  } else {  // -1 without a quota
    std::ifstream(group.folder / "cpu.cfs_quota_us") >> quota;
    std::ifstream(group.folder / "cpu.cfs_period_us") >> period;
  }
  return quota > 0.0 && period > 0.0 ? quota / period : HUGE_VAL;
}

// The first number of OMP_NUM_THREADS, which may list one per nesting level; infinite if it is not
// set or not a number.
double limit_of_the_environment() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  if (text == nullptr) return HUGE_VAL;
  std::string_view value(text);
  value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
  int limit = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), limit);
  const bool ends = end == value.data() + value.size() || *end == ',' || *end == ' ';
  return error == std::errc() && ends && limit > 0 ? limit : HUGE_VAL;
}

}  // namespace

int default_threads(const std::filesystem::path& root) {
  double most = std::min<double>(cores_of_the_process(), limit_of_the_environment());
  for (const detail::ControlGroup& group : detail::control_groups(root, "cpu")) {
    most = std::min(most, std::ceil(quota_of(group)));
  }
  return std::max(1, static_cast<int>(most));
}

}  // namespace stkr
