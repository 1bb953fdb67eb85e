#pragma once

#include "stkr/plan/plan.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

// Memory and work of a fit with the given execution. The blocks that it counts are those that the
// estimators allocate: change both together.
Strategy fit_strategy(const ProblemShape& shape, const Specification& spec,
                      const Execution& execution, const Context& context);

}  // namespace stkr
