#pragma once

#include "stkr/estimator/plan.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/selection/kernel_grid.hpp"
#include "stkr/selection/select.hpp"

namespace stkr {

// How candidates are scored, as far as memory depends on it.
struct Validation {
  std::vector<Setting> settings{};  // of a split, run in parallel; none: cross-validation
  Index scored = 0;                 // samples of val and test together
};

// Plans select_by_split, select_by_folds or select_by_leave_one_out as plan_fit plans a fit.
// shape.labeled counts the samples used for fitting: train of a split. The caller copies the chosen
// strategy's execution into SelectOptions and into the recipe.
Plan plan_selection(const ProblemShape& shape, const Recipe& recipe, const Grid& grid,
                    const Validation& validation, const Context& context = {});

// The kernels to select from, with the plan's settings.
struct PlannedCandidates {
  Plan plan;
  std::vector<KernelCandidate> candidates;
};

// Plans first and then makes the candidates, so that the plan's tiles and precision and
// context.cancel apply to each gram; the plan's other settings go into `options`.
// `settings` are those of a split. Throws MemoryError if nothing fits in context.memory. Fitting
// the chosen point needs a new plan: give it the execution and the precision of `recipe`.
PlannedCandidates plan_candidates(const Dataset& dataset, const std::optional<FourWaySplit>& split,
                                  const std::vector<Setting>& settings, const KernelGrid& kernels,
                                  const Recipe& recipe, SelectOptions& options,
                                  const Context& context = {});

}  // namespace stkr
