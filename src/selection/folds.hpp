#pragma once

#include <cstdint>
#include <vector>

#include "stkr/selection/select.hpp"

namespace stkr {

// Divides the labeled samples into k folds, each held out once. For classes the folds are
// stratified: folds differ by at most one sample per class. Entry f lists positions in
// labeled_indices(labels), ascending. Throws ValueError if k < 2 or if there are fewer labeled
// samples than folds.
std::vector<std::vector<Index>> labeled_folds(const Labels& labels, int folds, std::uint64_t seed);

// Folds that are fitted to all other labeled samples, by position among the `labeled` ones.
std::vector<Fold> fitted_to_the_others(std::vector<std::vector<Index>> held_out, Index labeled);

// Folds by sample as folds by position. Throws ValueError, with the fold and the sample, unless
// each has labeled samples to fit to and to hold out, none of them twice.
std::vector<Fold> by_position(const std::vector<Fold>& folds, const Labels& labels);

// One row per sample that a fold holds out, ascending by sample, then by fold.
struct HeldOutRows {
  std::vector<Index> position;           // of the sample among the labeled ones
  std::vector<Index> fold;               // that holds it out
  std::vector<std::vector<Index>> rows;  // of the held-out samples of each fold, in its order
};
HeldOutRows held_out_rows(const std::vector<Fold>& folds);

}  // namespace stkr
