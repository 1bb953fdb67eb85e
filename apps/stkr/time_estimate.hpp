#pragma once

#include <optional>
#include <string>

#include "plan/run_time.hpp"
#include "stkr/selection/grid.hpp"

namespace stkr::app {

// How long a fit probably takes on this machine, or the selection of a grid.
RunTime estimated_time(const ProblemShape& shape, const Specification& spec,
                       const Context& context);
RunTime estimated_time(const ProblemShape& shape, const Specification& spec, const Grid& grid,
                       const Context& context);

// "--kernel knn would take about 2 s instead of about 3 to 8 minutes", if the fit has many points,
// a dense kernel, and would be 20 times faster with a neighbor graph; else nullopt. Measures the
// machine only if the first two hold. `processes` share the work equally.
std::optional<std::string> faster_kernel(const ProblemShape& shape, const Specification& spec,
                                         const Context& context, int processes = 1);

}  // namespace stkr::app
