#pragma once

#include <string>
#include <vector>

#include "selection/block_shape.hpp"
#include "selection/kernel_rows.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

struct PolynomialSummary {
  long products = 0;
  std::vector<std::string> warnings;  // of transforms that no polynomial approximates well
};

// Adds K̂_s between labeled and scored samples (rows) and labeled ones to the block of each
// transform, for `labels_at_once` labels at a time. Polynomials are sums of the same S^k E; all
// other transforms are Chebyshev series of the same T_k(S) E.
PolynomialSummary polynomial_blocks(const GramOperator& gram, const KernelRows& rows,
                                    const std::vector<SpectralTransform>& transforms,
                                    Index labels_at_once, const Context& context,
                                    std::vector<Matrix>& blocks);

// Of polynomials up to a degree, and of Chebyshev series of so many terms.
SolveCost power_cost(const BlockShape& shape, double degree);
SolveCost series_cost(const BlockShape& shape, double terms);

}  // namespace stkr
