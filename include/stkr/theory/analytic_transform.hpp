#pragma once

#include <optional>
#include <string>

#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// Whether s(λ) = Σ_{p≥1} π_p λ^p with all π_p ≥ 0, converging at `lambda` (ass:analytic). Decided
// by the form of s; empty if that does not decide it, as for a user-defined s.
struct PowerSeriesCheck {
  std::optional<bool> holds;
  std::string reason;
};
PowerSeriesCheck has_power_series(const SpectralTransform& transform, double lambda);

// d/dλ (s(λ)/λ), the factor of thm:approx: in closed form for powers, polynomials, the inverse
// Laplacian, diffusion and sums of these, else by differences of s, to about nine digits. Infinite
// at and beyond a pole. Throws ValueError for λ ≤ 0 and for transforms that are not a function of λ
// (truncation, Poisson).
double quotient_derivative(const SpectralTransform& transform, double lambda);

}  // namespace stkr
