#pragma once

#include "stkr/estimator/plan.hpp"
#include "stkr/selection/kernel_grid.hpp"
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

// The kernels to select from, in the way that the plan chose.
struct PlannedCandidates {
  Plan plan;
  std::vector<KernelCandidate> candidates;
};

// Plans first and makes the candidates then, so that the tiles and the precision of the plan and
// options.control.cancel reach the gram of each; what else the plan sets goes into `options`.
// `settings` are those of a split. Throws MemoryError where nothing fits in recipe.memory. A fit of
// what is chosen has a plan of its own: give it the execution and the precision of `recipe`.
PlannedCandidates plan_candidates(const Dataset& dataset, const std::optional<FourWaySplit>& split,
                                  const std::vector<Setting>& settings, const KernelGrid& kernels,
                                  const Recipe& recipe, SelectOptions& options);

}  // namespace stkr
