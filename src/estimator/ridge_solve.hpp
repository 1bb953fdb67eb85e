#pragma once

#include <span>

#include "estimator/ridge_strategy.hpp"
#include "estimator/spectral_action.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

SolverOptions solver_options(const StkrOptions& options);

// What decides the strategy, for `outputs` right-hand sides.
RidgeTraits ridge_traits(const GramOperator& gram, const SpectralAction& action, Index labels,
                         Index outputs, const StkrOptions& options);

// Where iterative solvers start: α, and θ = g(S) E α at all samples. Ignored unless it has the
// shape of the solution.
struct RidgeStart {
  const Matrix* alpha = nullptr;
  const Matrix* theta = nullptr;
};

struct RidgeSolution {
  Matrix alpha;
  SolveSummary summary;
  ResidentBlock theta;  // g(S) E α, where a solve for it may start; empty if it was not needed
};

// Solves (N·Eᵀ S g(S) E + nβ I) α = Y. options.beta must be set.
RidgeSolution solve_ridge_system(const RidgeStrategy& strategy, const GramOperator& gram,
                                 const SpectralAction& action, std::span<const Index> labeled,
                                 ConstMatrixRef y, const RidgeStart& start,
                                 const StkrOptions& options, const Context& context);

}  // namespace stkr
