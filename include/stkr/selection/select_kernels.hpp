#pragma once

#include <span>
#include <vector>

#include "stkr/selection/kernel_grid.hpp"
#include "stkr/selection/select.hpp"

namespace stkr {

// Selection over kernels too: the whole grid once per kernel, ranked together. Scores come kernel
// by kernel, GridPoint::kernel is the place in `candidates`. A kernel that cannot be built (a
// length scale of zero, say) is left out with a warning; where none can, that is an error. One
// candidate gives what select.hpp gives.

Selection select_kernels_by_split(const Dataset& dataset,
                                  std::span<const KernelCandidate> candidates,
                                  const FourWaySplit& split, Setting setting,
                                  const SelectOptions& options);

// Both settings, transductive first, side by side with half the threads each: they share nothing
// but the machine, and two small problems use it better than one after the other. Progress is
// reported from one of them at a time.
std::vector<Selection> select_kernels_by_split(const Dataset& dataset,
                                               std::span<const KernelCandidate> candidates,
                                               const FourWaySplit& split,
                                               const SelectOptions& options);

Selection select_kernels_by_folds(const Dataset& dataset,
                                  std::span<const KernelCandidate> candidates, int folds,
                                  const SelectOptions& options);

Selection select_kernels_by_leave_one_out(const Dataset& dataset,
                                          std::span<const KernelCandidate> candidates,
                                          const SelectOptions& options);

}  // namespace stkr
