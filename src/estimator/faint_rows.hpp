#pragma once

#include "estimator/resident_block.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

// Conjugate gradients solve (I - ηS) x = b to a residual that is small relative to the largest
// entries. Far from all labels x is smaller than that residual, and the largest class score there
// would be noise. For K ≥ 0, solves such rows again separately, with the contributions of the other
// rows as right-hand side, layer by layer, until each row is accurate relative to itself. Rows that
// no label reaches become 0. Returns the number of products.
long refine_faint_rows(const GramOperator& gram, double eta, const ResidentBlock& b,
                       const SolverOptions& options, const Context& context, ResidentBlock& x);

}  // namespace stkr
