#pragma once

#include <string>
#include <vector>

#include "stkr/estimator/stkr.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr::report {

// s(λ) over [0, λ₁] as an <svg> element for a page, with M of Theorem 1 in the title. The terms of
// a sum, a_k s_k, are dashed below it. Throws ValueError unless λ₁ > 0 and s is finite there.
std::string plot_transform(const SpectralTransform& transform, double largest_eigenvalue);

// The transforms of an average of fits, each divided by its largest value: their ridges are
// relative to it. M of each is in the key.
std::string plot_average(const std::vector<AverageTerm>& terms, double largest_eigenvalue);

}  // namespace stkr::report
