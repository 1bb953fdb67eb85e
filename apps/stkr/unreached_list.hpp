#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stkr/estimator/label_reach.hpp"

namespace stkr::app {

// Writes a CSV of the samples without evidence, `index,component,component_size`, with `node` after
// the index if samples have names; component and size stay empty if components are unknown. Throws
// WriteError.
void write_unreached(const std::string& path, const std::vector<char>& evidence,
                     std::span<const std::string> names,
                     const std::optional<LabelReach>& reach = std::nullopt);

}  // namespace stkr::app
