#pragma once

#include <optional>
#include <span>
#include <string>

#include "stkr/estimator/fit.hpp"

namespace stkr::app {

// Writes a CSV of the samples without evidence, `index,component,component_size`, with a column of
// their names after the index if they have names; component and size stay empty if components are
// unknown. Throws WriteError.
void write_unreached(const std::string& path, std::span<const Index> samples,
                     const std::string& name_column, std::span<const std::string> names,
                     const std::optional<LabelReach>& reach = std::nullopt);

}  // namespace stkr::app
