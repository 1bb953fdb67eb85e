#pragma once

#include <vector>

#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// The terms that a SpectralAction applies one after the other and adds up: every term with a
// reciprocal form, the polynomials together, and all others together as one Chebyshev series. One
// term, the transform itself, if nothing is divided.
std::vector<TransformTerm> action_parts(const SpectralTransform& transform);

}  // namespace stkr
