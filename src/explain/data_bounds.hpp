#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stkr/explain/explain.hpp"

namespace stkr {

// Every bound of the paper with numbers from the data: κ², λ̂₁ and the decay of s(λ_i) from the
// kernel, ε, B, σ and L from the suggested fit, the part of the labels beyond the first d
// eigenvectors from their energy. P is taken for the distribution of the samples; whether its
// assumptions hold cannot be checked, and the bounds say so. `mean_square_y`: of the labels, all
// outputs together; `d`: of kernel PCA. A bound that cannot be computed is added to `missing` with
// the reason.
std::vector<Bound> data_bounds(const KernelFacts& kernel, const LabelEnergy& energy,
                               const SuggestedFit& fit, Index labels, double mean_square_y, Index d,
                               double delta,
                               std::vector<std::pair<std::string, std::string>>& missing);

}  // namespace stkr
