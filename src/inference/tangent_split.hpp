#pragma once

#include <optional>

#include "estimator/spectral_action.hpp"
#include "transform/chebyshev.hpp"

namespace stkr {

// s(λ) = s(δ) + (λ - δ) s'(δ) + (λ - δ)² h(λ), as in theory/second_quotient, with h ≥ 0: the
// covariance of new samples is a tangent, whose values are known, and a part that random functions
// v(x) h^½(S) Ω/√N have.
struct TangentSplit {
  double value = 0.0;    // s(δ)
  double slope = 0.0;    // s'(δ)
  ChebyshevSeries root;  // h^½; (λ - δ) h^½ to 1e-4 of its maximum
};

// None if h is negative in the spectrum (s is not convex) or not smooth, and for truncations. Of
// the Poisson transform, that of the inverse Laplacian, whose h^½ is taken at η ≤ 0.9995/λ₁.
std::optional<TangentSplit> tangent_split(const SpectralAction& action, double delta);

}  // namespace stkr
