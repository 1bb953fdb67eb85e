#pragma once

#include "stkr/estimator/plan.hpp"
#include "stkr/selection/select.hpp"

namespace stkr {

// How candidates are scored, as far as memory depends on it.
struct Validation {
  std::vector<Setting> settings{};  // of a split, side by side; none: cross-validation
  Index scored = 0;                 // samples of val and test together
};

// What select_by_split, select_by_folds or select_by_leave_one_out would take, as plan_fit does for
// a fit. shape.labeled are the samples that are fitted: train of a split. The execution of the
// strategy chosen belongs into SelectOptions and into the recipe.
Plan plan_selection(const ProblemShape& shape, const Recipe& recipe, const Grid& grid,
                    const Validation& validation);

}  // namespace stkr
