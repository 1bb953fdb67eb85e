#include "grid_dimensions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "estimator/leading_space.hpp"

namespace stkr {

GridDimensions grid_dimensions(const KernelPca& pca, std::span<const double> asked, bool literal) {
  GridDimensions result;
  const Index m = pca.samples;
  const std::string too_few =
      fmt::format("the kernel has {} positive eigenvalues on the {} unlabeled samples{}",
                  pca.positive, m, literal ? "" : " that labels reach");
  std::vector<double> too_many, split, widened;
  for (const double number : asked) {
    const auto d = static_cast<Index>(number);
    Index& taken = result.taken.emplace_back(0);
    std::string& reason = result.reasons.emplace_back();
    if (d > pca.positive) {
      reason = too_few;
      too_many.push_back(number);
      continue;
    }
    const WholeDimension whole = whole_dimension(pca.eigenvalues, d, m);
    taken = literal ? d : whole.kept;
    if (literal ? whole.kept != d || whole.parts : whole.parts) {
      split.push_back(number);
    } else if (taken != d) {
      widened.push_back(number);
    }
  }
  if (!too_many.empty()) {
    result.warnings.push_back(
        fmt::format("kernel PCA: d = {:g} left out: {}", fmt::join(too_many, ", "), too_few));
  }
  if (!split.empty()) {
    result.warnings.push_back(fmt::format(
        "kernel PCA: d = {:g} splits a set of equal eigenvalues: the predictions depend on the "
        "choice of eigenvectors, and so on the seed",
        fmt::join(split, ", ")));
  }
  if (!widened.empty()) {
    result.warnings.push_back(
        fmt::format("kernel PCA: d = {:g} would split a set of equal eigenvalues, so the whole "
                    "set is used, or none of it if it is too large",
                    fmt::join(widened, ", ")));
  }
  const double largest = *std::max_element(asked.begin(), asked.end());
  if (std::find(widened.begin(), widened.end(), largest) == widened.end()) {
    result.warnings.insert(result.warnings.end(), pca.warnings.begin(), pca.warnings.end());
  }
  return result;
}

}  // namespace stkr
