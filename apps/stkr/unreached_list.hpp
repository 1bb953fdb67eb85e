#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stkr/estimator/label_reach.hpp"

namespace stkr::app {

// A CSV of the samples without evidence, `index,component,component_size`; the last two stay empty
// where components are not known. Throws WriteError.
void write_unreached(const std::string& path, const std::vector<char>& evidence,
                     const std::optional<LabelReach>& reach = std::nullopt);

}  // namespace stkr::app
