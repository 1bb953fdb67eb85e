#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stkr/estimator/label_reach.hpp"

namespace stkr::app {

// A CSV of the samples without evidence, `index,component,component_size`, and `node` behind the
// index where samples have names; component and size stay empty where components are not known.
// Throws WriteError.
void write_unreached(const std::string& path, const std::vector<char>& evidence,
                     std::span<const std::string> names,
                     const std::optional<LabelReach>& reach = std::nullopt);

}  // namespace stkr::app
