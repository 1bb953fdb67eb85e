#pragma once

#include "stkr/gram/gram_operator.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

// Conjugate gradients solve (I - ηS) x = b to a residual that is small beside the largest entries.
// Far from all labels x is smaller than that, and the largest class score there would be noise. For
// K ≥ 0 such rows are solved again by themselves, with what the others give them as right-hand
// side, layer by layer, until each row is accurate relative to itself. Rows that nothing reaches
// become 0. Returns the products made.
long refine_faint_rows(const GramOperator& gram, double eta, ConstMatrixRef b,
                       const SolverOptions& options, Matrix& x);

}  // namespace stkr
