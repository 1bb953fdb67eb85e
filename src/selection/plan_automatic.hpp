#pragma once

#include <vector>

#include "stkr/plan/plan.hpp"

namespace stkr {

// A kernel that fit_automatic will try, with the work of scoring it; the last entry is the fit
// itself. A specification with nothing open has only that.
struct PlannedKernel {
  Specification spec;
  Work work;
};
std::vector<PlannedKernel> plan_automatic(const ProblemShape& shape, const Specification& spec,
                                          const Context& context = {});

}  // namespace stkr
