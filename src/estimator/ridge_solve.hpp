#pragma once

#include <span>

#include "stkr/estimator/spectral_action.hpp"
#include "stkr/estimator/stkr.hpp"

namespace stkr {

SolverOptions solver_options(const StkrOptions& options);

// Whether the n × n system is formed at once, by the solver that `options` names or by the one that
// suits: for `outputs` right-hand sides.
bool forms_system(const GramOperator& gram, const SpectralAction& action, Index labels,
                  Index outputs, const StkrOptions& options);

// α of (N·Eᵀ S g(S) E + nβ I) α = Y by the solver that `options` names, or by the one that suits.
// options.beta must be there.
SolveResult solve_ridge_system(const GramOperator& gram, const SpectralAction& action,
                               std::span<const Index> labeled, ConstMatrixRef y,
                               const StkrOptions& options);

}  // namespace stkr
