#pragma once

#include <span>
#include <string>
#include <vector>

#include "estimator/kernel_pca.hpp"

namespace stkr {

// What becomes of each d of a grid: the same dimension that a fit with this d would use.
struct GridDimensions {
  std::vector<Index> taken;          // 0 if it is left out
  std::vector<std::string> reasons;  // why it is left out; empty if it is not
  std::vector<std::string> warnings;
};

// `pca` is that of the largest d. With `literal`, sets of equal eigenvalues are split as asked.
GridDimensions grid_dimensions(const KernelPca& pca, std::span<const double> asked, bool literal);

}  // namespace stkr
