#pragma once

#include <cstdint>
#include <vector>

#include "stkr/dataset/labels.hpp"

namespace stkr {

// The labeled samples dealt into k folds, each held out once. For classes the folds are
// stratified: every class is dealt out in turn, so that folds differ by at most one sample of it.
// Entry f lists positions in labeled_indices(labels), ascending. Throws ValueError for k < 2 and
// where there are fewer labeled samples than folds.
std::vector<std::vector<Index>> labeled_folds(const Labels& labels, int folds, std::uint64_t seed);

}  // namespace stkr
