#pragma once

#include <functional>
#include <string>

#include "stkr/runtime/context.hpp"
#include "stkr/selection/select.hpp"

namespace stkr {

// Runs select(options) for the whole grid or, if context.saved is set, for one part of the
// grid after the other, skipping parts that another process has finished. Families that share their
// work are one part, so the scores are bit-identical either way. `name` distinguishes this
// selection from others of the same run.
Selection resumable_selection(
    const std::string& name, const SelectOptions& options, const Context& context,
    const std::function<Selection(const SelectOptions&, const Context&)>& select);

}  // namespace stkr
