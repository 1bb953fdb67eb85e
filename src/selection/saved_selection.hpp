#pragma once

#include <functional>
#include <string>

#include "stkr/selection/select.hpp"

namespace stkr {

// select(options) for the whole grid, or, where options.control.saved is there, for one part of the
// grid after the other: parts that were finished in another process are not computed again.
// Families that share their work are one part, so the scores are the same bits either way. `name`
// tells this selection from others of the same run.
Selection resumable_selection(const std::string& name, const SelectOptions& options,
                              const std::function<Selection(const SelectOptions&)>& select);

}  // namespace stkr
