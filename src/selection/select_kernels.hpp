#pragma once

#include <functional>
#include <span>
#include <vector>

#include "stkr/runtime/context.hpp"
#include "stkr/selection/grid.hpp"
#include "stkr/selection/select.hpp"

namespace stkr {

// Selection over kernels too: runs the whole grid once per kernel and ranks all points together.
// Scores are ordered by kernel; GridPoint::kernel is the index in `candidates`. A kernel that
// cannot be built (e.g. length scale zero) is left out with a warning; if none can be built,
// throws. With one candidate, the results equal those of select.hpp.

Selection select_kernels_by_split(const Dataset& dataset,
                                  std::span<const KernelCandidate> candidates,
                                  const FourWaySplit& split, Setting setting,
                                  const SelectOptions& options, const Context& context = {});

// Both settings, transductive first, in parallel with half the threads each: they share no data,
// and two small problems in parallel use the machine better. Progress is reported from one of them
// at a time.
std::vector<Selection> select_kernels_by_split(const Dataset& dataset,
                                               std::span<const KernelCandidate> candidates,
                                               const FourWaySplit& split,
                                               const SelectOptions& options,
                                               const Context& context = {});

Selection select_kernels_by_folds(const Dataset& dataset,
                                  std::span<const KernelCandidate> candidates, int folds,
                                  const SelectOptions& options, const Context& context = {});

Selection select_kernels_by_folds(const Dataset& dataset,
                                  std::span<const KernelCandidate> candidates,
                                  const std::vector<Fold>& folds, const SelectOptions& options,
                                  const Context& context = {});

Selection select_kernels_by_leave_one_out(const Dataset& dataset,
                                          std::span<const KernelCandidate> candidates,
                                          const SelectOptions& options,
                                          const Context& context = {});

// For grams of the caller's own: `select` runs the grid on the kernel of a specification. `kind`
// tells this from other selections of a run.
Selection select_kernels(const char* kind, std::span<const KernelCandidate> candidates,
                         const std::function<Selection(const Specification&, const SelectOptions&,
                                                       const Context&)>& select,
                         const SelectOptions& options, const Context& context = {});

}  // namespace stkr
