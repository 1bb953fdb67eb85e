#pragma once

#include "gram/gram_cost.hpp"
#include "stkr/dataset/dataset.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/specification/specification.hpp"

namespace stkr {

// Memory and work of the gram of a specification: the sum of its kernels, normalized and centered
// as specified.
GramCost kernel_cost(const ProblemShape& shape, const Specification& spec,
                     const Execution& execution = {});

}  // namespace stkr
