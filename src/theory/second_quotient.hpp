#pragma once

#include "estimator/spectral_action.hpp"

namespace stkr {

// Two new samples meet through h(S): with δ the self term of the gram,
//   s(λ) = s(δ) + (λ - δ) q(λ),  q(λ) = q(δ) + (λ - δ) h(λ).
// For δ = 0 and s(λ) = Σ π_p λ^p: q(0) = π_1 and h(λ) = Σ_{p≥2} π_p λ^(p-2), as in eqn:hatks-def.
struct SecondQuotient {
  double value = 0.0;  // s(δ)
  double slope = 0.0;  // q(δ)
  Matrix image{};      // h(S) B
  double error = 0.0;  // sup-norm error of s if it is approximated, 0 if it is exact
  bool converged = true;
};

//   polynomial    Horner's rule
//   reciprocal    a polynomial times ρ(S)⁻¹, by estimator/spectral_action
//   truncation    the leading eigenvectors, and an eigendecomposition if the cut is below δ
//   sum           the parts of estimator/spectral_action, one after the other
//   anything else Chebyshev; if the series is long and samples are few, an eigendecomposition
// Throws ParameterError for the Poisson transform, which is not a function of λ.
SecondQuotient second_quotient(const GramOperator& gram, const SpectralTransform& transform,
                               ConstMatrixRef b, const ActionOptions& options,
                               const Context& context);

}  // namespace stkr
