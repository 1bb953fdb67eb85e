#pragma once

#include <cstdint>
#include <vector>

#include "stkr/dataset/labels.hpp"

namespace stkr {

// Divides the labeled samples into k folds, each held out once. For classes the folds are
// stratified: folds differ by at most one sample per class. Entry f lists positions in
// labeled_indices(labels), ascending. Throws ValueError if k < 2 or if there are fewer labeled
// samples than folds.
std::vector<std::vector<Index>> labeled_folds(const Labels& labels, int folds, std::uint64_t seed);

}  // namespace stkr
