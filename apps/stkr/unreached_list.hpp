#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stkr/estimator/fit.hpp"
#include "stkr/model/model.hpp"

namespace stkr::app {

// Writes a CSV of the samples without evidence, `index,component,component_size`, with a column of
// their names after the index if they have names; component and size stay empty if components are
// unknown. Throws WriteError.
void write_unreached(const std::string& path, std::span<const Index> samples,
                     const std::string& name_column, std::span<const std::string> names,
                     const std::optional<LabelReach>& reach = std::nullopt);

// The same for the samples of a model: `evidence` says which of them have evidence.
void list_unreached(const std::string& path, const std::vector<char>& evidence,
                    const ModelInfo& info, const std::optional<LabelReach>& reach);

}  // namespace stkr::app
