#pragma once

#include <vector>

#include "stkr/plan/plan.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/selection/grid.hpp"

namespace stkr {

// How candidates are scored, as far as memory depends on it.
struct Validation {
  std::vector<Setting> settings{};  // of a split, run in parallel; none: cross-validation
  Index scored = 0;                 // samples of val and test together
};

// Plans select_by_split, select_by_folds or select_by_leave_one_out as plan_fit plans a fit.
// shape.labeled counts the samples used for fitting: train of a split. The caller copies the chosen
// execution into SelectOptions.
Plan plan_selection(const ProblemShape& shape, const Specification& spec, const Grid& grid,
                    const Validation& validation, const Context& context = {});

}  // namespace stkr
