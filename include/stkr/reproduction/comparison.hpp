#pragma once

#include <optional>
#include <span>

#include "stkr/reproduction/paper_results.hpp"

namespace stkr {

// Our accuracies over random splits against the paper's, both in per cent.
struct Comparison {
  double mean = 0.0;
  double std = 0.0;  // divided by the number of seeds, not one less: as numpy does it
  int seeds = 0;
  std::optional<PaperValue> paper{};
  // Twice the standard error of the difference of two means over different random splits,
  // 2·√(std²/seeds + paper std²/10); nothing without a number of the paper.
  std::optional<double> margin{};

  std::optional<bool> within() const;  // |mean - paper| ≤ margin
  bool above() const;                  // higher than the paper by more than that
  bool below() const;
};

// Throws ValueError for no accuracies at all.
Comparison compare(std::span<const double> accuracies, std::optional<PaperValue> paper);

}  // namespace stkr
