#pragma once

#include <optional>
#include <span>

#include "estimator/resident_block.hpp"
#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

// The system of the paper's Algorithm 2 (eqn:mthetay) for the inverse Laplacian, r = 1 and
// Q = I - ηS:
//   labeled rows     N(Sθ)_i + nβ(Qθ)_i = y_i
//   unlabeled rows            nβ(Qθ)_i = 0
// M is not symmetric, but every row is a multiple of (Sθ)_i plus a multiple of θ_i. Divided by the
// first multiple, it is S + diag(t), with t = nβ/(N - nβη) on the labeled samples and -1/η on the
// others: symmetric, indefinite, and one product per MINRES step. The n × n system needs an inner
// solve per step instead.

// The division needs nβη < N, which fails for a very large ridge.
bool laplacian_system_applies(Index size, Index labels, double eta, double beta);

// Returns θ, with the residual of the divided rows in the summary. Then α = (Qθ) on the labeled
// samples, and c = θ. `squared_row_norms` has ‖S e_i‖² of each labeled sample; without it they are
// estimated, by a product with 16 columns.
// `start` may be null, and that of the options is ignored.
ResidentSolve solve_laplacian_system(const LinearOperator& s, std::span<const Index> labeled,
                                     ConstMatrixRef y, double eta, double beta,
                                     const SolverOptions& options, const Context& context,
                                     const ResidentBlock* start = nullptr,
                                     std::optional<Vector> squared_row_norms = {});

}  // namespace stkr
