#pragma once

#include <optional>
#include <span>

#include "stkr/reproduction/paper_results.hpp"

namespace stkr {

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

// Our accuracies over random splits against the paper's, both in per cent.
struct Comparison {
  double mean = 0.0;
  std::optional<double> std{};  // of the sample: divided by seeds - 1; none for one seed
  int seeds = 0;
  std::optional<PaperValue> paper{};
  std::optional<double> difference{};  // our mean minus the paper's
  // Of the difference, 95 %: Welch's for two means over different random splits, whose standard
  // error is √(std²/seeds + paper std²/10). That it holds 0 does not say that the two agree: see
  // how wide it is. None for one seed, or without a number of the paper.
  std::optional<Interval> interval{};

  bool above() const { return interval && interval->low > 0.0; }
  bool below() const { return interval && interval->high < 0.0; }
};

// Throws ValueError for no accuracies at all.
Comparison compare(std::span<const double> accuracies, std::optional<PaperValue> paper);

}  // namespace stkr
