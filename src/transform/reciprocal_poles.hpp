#pragma once

#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// Whether ρ(λ) = λ^r/s(λ) is positive on [lower, upper], so that s has no pole there and Q = ρ(S)
// is positive definite for a spectrum within. Values that are zero up to rounding count as zero: λ₁
// is no more accurate than that.
bool pole_free(const ReciprocalTransform& reciprocal, double lower, double upper);

}  // namespace stkr
