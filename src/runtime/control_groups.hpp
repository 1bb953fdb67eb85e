#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace stkr::detail {

struct ControlGroup {
  std::filesystem::path folder;
  bool unified;  // version 2, whose files have other names
};

// The control groups of this process for `controller` ("cpu", "memory"): the one named in
// /proc/self/cgroup and all its ancestors, because a container may see its own group as the root.
// The folders need not exist.
std::vector<ControlGroup> control_groups(const std::filesystem::path& root,
                                         std::string_view controller);

}  // namespace stkr::detail
