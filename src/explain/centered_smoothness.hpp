#pragma once

#include <span>
#include <vector>

#include "stkr/theory/rkhs_norm.hpp"

namespace stkr {

// multiscale_smoothness with the centered kernel of the paper's assumption (ii), S̃ = P S P with P
// = I - 11ᵀ/N: f - E f is in its space if f is in that of K, which K itself does not give on an
// irregular graph.
std::vector<Smoothness> centered_smoothness(const GramOperator& gram, const Vector& f,
                                            std::span<const double> scales,
                                            const QuadraticFormOptions& options,
                                            const Context& context);

}  // namespace stkr
