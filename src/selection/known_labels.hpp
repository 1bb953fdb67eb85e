#pragma once

#include <span>
#include <vector>

#include "stkr/dataset/labels.hpp"
#include "stkr/linop/shared_rows.hpp"
#include "stkr/selection/select.hpp"

namespace stkr {

// The labels that selection asks for, and the number of each in the gram. On one machine they are
// those of all samples; if several processes share the samples, those of the samples that matter,
// from all processes, and equal in each.
struct KnownLabels {
  Labels labels{};
  std::vector<Index> numbers{};  // ascending; empty: 0, 1, 2, ...

  // Of places in `labels`.
  std::vector<Index> samples(std::span<const Index> places) const;
  // The places of samples, which must be among the numbers.
  std::vector<Index> places(std::span<const Index> samples) const;
};

// Those of all labeled samples. `own` are the labels of this process's rows, or of all samples
// without `rows`.
KnownLabels known_labels(const Labels& own, const SharedRows* rows);

// Those of train, val and test, labeled or not, with the split by place. With `rows`, other is left
// out.
struct KnownSplit {
  KnownLabels labels;
  FourWaySplit split;
};
KnownSplit known_split(const Labels& own, const FourWaySplit& split, const SharedRows* rows);

// `count` samples without a label of `size`, or all if there are fewer, spread evenly over them.
std::vector<Index> some_unlabeled(Index size, std::span<const Index> labeled, Index count);

}  // namespace stkr
