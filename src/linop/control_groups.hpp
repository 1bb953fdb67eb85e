#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace stkr::detail {

struct ControlGroup {
  std::filesystem::path folder;
  bool unified;  // version 2, whose files have other names
};

// The groups that `controller` ("cpu", "memory") has for this process: the one named in
// /proc/self/cgroup and every group around it; a container may see its own group as the root.
// Folders need not exist.
std::vector<ControlGroup> control_groups(const std::filesystem::path& root,
                                         std::string_view controller);

}  // namespace stkr::detail
