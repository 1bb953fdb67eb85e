#pragma once

#include <optional>
#include <span>

#include "reproduction/paper_results.hpp"

namespace stkr {

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

// Compares our accuracies over random splits with the paper's, both in percent.
struct Comparison {
  double mean = 0.0;
  std::optional<double> std{};  // sample standard deviation, divisor seeds - 1; none for one seed
  int seeds = 0;
  std::optional<PaperValue> paper{};
  std::optional<double> difference{};  // our mean minus the paper's
  // 95 % confidence interval of the difference: Welch's for two means over different random splits,
  // with standard error √(std²/seeds + paper std²/10). An interval that contains 0 does not imply
  // agreement; consider its width. None for one seed, or without a value from the paper.
  std::optional<Interval> interval{};

  bool above() const { return interval && interval->low > 0.0; }
  bool below() const { return interval && interval->high < 0.0; }
};

// Throws ValueError if `accuracies` is empty.
Comparison compare(std::span<const double> accuracies, std::optional<PaperValue> paper);

}  // namespace stkr
