#pragma once

#include "selection/transformed_blocks.hpp"

namespace stkr {

// Computes Ŷ of label propagation at the labeled and scored samples for every η and T from one
// series of products: Ŷ_T = Σ_{k ≤ T} η^k S^k B. B is Ỹ, or E for the response to each single
// label. η is in units of 1/`largest_eigenvalue`.
using PropagationSink =
    std::function<void(std::size_t eta, std::size_t steps, const Matrix& labeled_then_scored)>;
FamilyCost propagated_blocks(const GramOperator& gram, const KernelRows& rows, Matrix b,
                             const Grid& grid, const PropagationSink& sink,
                             double largest_eigenvalue, const Context& context = {});

// For B with so many columns.
SolveCost propagated_cost(const BlockShape& shape, const Grid& grid, Index columns);

}  // namespace stkr
