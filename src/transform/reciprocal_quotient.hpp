#pragma once

#include <vector>

#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// q(λ) ρ(λ) for s(λ) = λ^r/ρ(λ) = s(δ) + (λ - δ) q(λ): a polynomial, because
// λ^r/ρ(λ) - δ^r/ρ(δ) = (λ^r ρ(δ) - δ^r ρ(λ))/(ρ(λ) ρ(δ)), and its numerator has the factor λ - δ.
std::vector<double> shifted_quotient(const ReciprocalTransform& reciprocal, double delta);

}  // namespace stkr
