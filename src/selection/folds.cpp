#include "selection/folds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "runtime/random.hpp"
#include "stkr/error.hpp"

namespace stkr {

std::vector<std::vector<Index>> labeled_folds(const Labels& labels, int folds, std::uint64_t seed) {
  const std::vector<Index> labeled = labeled_indices(labels);
  if (folds < 2) {
    throw ValueError(fmt::format("{} folds; expected 2 or more", folds));
  }
  if (static_cast<std::size_t>(folds) > labeled.size()) {
    throw ValueError(
        fmt::format("{} folds but only {} labeled samples; use fewer folds, or leave-one-out",
                    folds, labeled.size()));
  }
  std::vector<Index> order(labeled.size());
  std::iota(order.begin(), order.end(), 0);
  Random(seed).shuffle(order);
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return classes->code[labeled[a]] < classes->code[labeled[b]];
    });
  }
  std::vector<std::vector<Index>> result(folds);
  for (std::size_t k = 0; k < order.size(); ++k) result[k % folds].push_back(order[k]);
  for (std::vector<Index>& fold : result) std::sort(fold.begin(), fold.end());
  return result;
}

}  // namespace stkr
