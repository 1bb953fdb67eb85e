#include "control_groups.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace stkr::detail {

namespace fs = std::filesystem;

std::vector<ControlGroup> control_groups(const fs::path& root, std::string_view controller) {
  std::vector<ControlGroup> groups;
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(fmt::format(",{},", controller)) == std::string::npos) {
      continue;
    }
    fs::path mount = root / "sys/fs/cgroup";
    if (!unified) mount /= controller;
    fs::path inside = fs::path(line.substr(second + 1)).relative_path();
    for (;; inside = inside.parent_path()) {
      groups.push_back({mount / inside, unified});
      if (inside.empty()) break;
    }
  }
  return groups;
}

}  // namespace stkr::detail
