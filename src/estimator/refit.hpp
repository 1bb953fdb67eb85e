#pragma once

#include <memory>

#include "estimator/spectral_action.hpp"
#include "stkr/estimator/stkr.hpp"

namespace stkr {

// What a fit leaves for the next one with the same gram and options but other labels.
struct RefitState {
  // s(S): its spectrum, factors and eigenvectors. Not kept for truncations, which depend on the
  // labels.
  std::shared_ptr<const SpectralAction> action{};
  // Where iterative solvers start: α for the next fit's labels, and θ = g(S) E α. Empty: at 0.
  Matrix alpha{};
  Matrix theta{};
};

// fit_stkr that uses `state` and replaces it.
Fit refit_stkr(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
               const StkrOptions& options, const Context& context, RefitState& state);

}  // namespace stkr
