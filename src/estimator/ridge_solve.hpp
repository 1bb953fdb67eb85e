#pragma once

#include <span>

#include "estimator/spectral_action.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

SolverOptions solver_options(const StkrOptions& options);

// Whether the n × n system is formed immediately for `outputs` right-hand sides, by the solver in
// `options` or, if automatic, by the chosen one.
bool forms_system(const GramOperator& gram, const SpectralAction& action, Index labels,
                  Index outputs, const StkrOptions& options);

// Solves (N·Eᵀ S g(S) E + nβ I) α = Y with the solver in `options` or, if automatic, with the
// chosen one. options.beta must be set.
SolveResult solve_ridge_system(const GramOperator& gram, const SpectralAction& action,
                               std::span<const Index> labeled, ConstMatrixRef y,
                               const StkrOptions& options, const Context& context);

}  // namespace stkr
