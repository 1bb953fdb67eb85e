#pragma once

#include <optional>
#include <vector>

#include "shared_samples.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/gram/gram_operator.hpp"

namespace stkr::petsc {

// The components of all samples and their labels as one machine numbers them (label_reach), in the
// first process; none in the others, or if the gram does not know its components. The first process
// needs 4 bytes per sample and 9 per component.
std::optional<LabelReach> whole_reach(const GramOperator& gram, const SharedSamples& samples);

}  // namespace stkr::petsc
