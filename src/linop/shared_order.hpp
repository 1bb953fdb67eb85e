#pragma once

#include <vector>

#include "stkr/linop/shared_rows.hpp"

namespace stkr {

// A number in the ascending order of the numbers of all processes.
struct OrderedNumber {
  double at = 0.0;
  double next = 0.0;  // the first that is more than `apart` above it, or infinity
};

// The one at `place` (0: the smallest), which must exist. `rows`: the processes, or null for one.
// Reorders `own`, which may be empty in some processes and contains no NaN.
OrderedNumber number_at(const SharedRows* rows, std::vector<double>& own, Index place,
                        double apart = 0.0);

}  // namespace stkr
