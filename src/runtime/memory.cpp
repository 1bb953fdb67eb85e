#include "runtime/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>

#include "control_groups.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

// The number after `key` on its line, or none if no line starts with `key`.
std::optional<std::uint64_t> number_after(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t first = line.find_first_of("0123456789", key.size());
    if (first == std::string::npos) return std::nullopt;
    std::uint64_t value = 0;
    std::from_chars(line.data() + first, line.data() + line.size(), value);
    return value;
  }
  return std::nullopt;
}

// What one control group leaves. Its file pages count as used but can be reclaimed on demand.
std::uint64_t left_in_group(const fs::path& group, const char* limit_name, const char* used_name,
                            const char* reclaimable) {
  const auto limit = number_after(group / limit_name, "");
  const auto used = number_after(group / used_name, "");
  if (!limit || !used) return kUnlimited;
  const std::uint64_t files = number_after(group / "memory.stat", reclaimable).value_or(0);
  const std::uint64_t held = *used - std::min(files, *used);
  return *limit - std::min(held, *limit);
}

std::uint64_t left_in_groups(const fs::path& root) {
  std::uint64_t least = kUnlimited;
  for (const auto& [folder, unified] : detail::control_groups(root, "memory")) {
    least = std::min(
        least, unified ? left_in_group(folder, "memory.max", "memory.current", "inactive_file ")
                       : left_in_group(folder, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                       "total_inactive_file "));
  }
  return least;
}

// What is left of the process's address space limit (ulimit -v).
std::uint64_t left_of_address_space(const fs::path& root) {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const std::uint64_t pages = number_after(root / "proc/self/statm", "").value_or(0);
  const std::uint64_t used = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::uint64_t>(used, limit.rlim_cur);
}

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr std::array<Unit, 17> kUnits{{{"", 1.0},
                                       {"b", 1.0},
                                       {"byte", 1.0},
                                       {"bytes", 1.0},
                                       {"k", 1e3},
                                       {"kb", 1e3},
                                       {"kib", 0x1p10},
                                       {"m", 1e6},
                                       {"mb", 1e6},
                                       {"mib", 0x1p20},
                                       {"g", 1e9},
                                       {"gb", 1e9},
                                       {"gib", 0x1p30},
                                       {"t", 1e12},
                                       {"tb", 1e12},
                                       {"tib", 0x1p40},
                                       {"%", 0.0}}};

}  // namespace

std::uint64_t available_memory(const fs::path& root) {
  std::uint64_t free = kUnlimited;
  if (const auto kilobytes = number_after(root / "proc/meminfo", "MemAvailable:")) {
    free = *kilobytes * 1024;
  } else {
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages > 0 && size > 0) {
      free = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
    }
  }
  return std::min({free, left_in_groups(root), left_of_address_space(root)});
}

std::uint64_t parse_memory(std::string_view text, std::uint64_t available) {
  const auto fail = [&](std::string_view what) {
    throw ValueError(
        fmt::format("memory '{}': {}; expected a size such as 4GB, 512MiB or 80%", text, what));
  };
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) fail("does not start with a number");
  std::string unit;
  for (const char c : text.substr(static_cast<std::size_t>(end - text.data()))) {
    if (c != ' ') unit.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  const auto found =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == unit; });
  if (found == kUnits.end()) fail(fmt::format("'{}' is not a memory unit", unit));
  if (!(value > 0.0)) fail("is not positive");
  if (unit == "%") {
    if (value > 100.0) fail("exceeds 100%");
    return static_cast<std::uint64_t>(value / 100.0 * static_cast<double>(available));
  }
  const double bytes = value * found->bytes;
  if (bytes < 1.0) fail("is less than a byte");
  return bytes < 1e18 ? static_cast<std::uint64_t>(bytes)
                      : std::uint64_t{1'000'000'000'000'000'000};
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes);
  for (const char* unit : {"kB", "MB", "GB", "TB", "PB", "EB"}) {
    value /= 1000.0;
    // Rounding to three digits may carry into the next unit: 999.6 kB is 1.00 MB.
    if (value < 999.5)
      return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, unit);
  }
  return fmt::format("{:.0f} EB", value);
}

}  // namespace stkr
