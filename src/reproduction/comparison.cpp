#include "stkr/reproduction/comparison.hpp"

#include <cmath>

#include "stkr/error.hpp"

namespace stkr {

constexpr double kPaperSeeds = 10.0;

std::optional<bool> Comparison::within() const {
  if (!paper || !margin) return std::nullopt;
  return std::abs(mean - paper->mean) <= *margin;
}

bool Comparison::above() const { return within() == false && mean > paper->mean; }
bool Comparison::below() const { return within() == false && mean < paper->mean; }

Comparison compare(std::span<const double> accuracies, std::optional<PaperValue> paper) {
  if (accuracies.empty()) throw ValueError("compare: no accuracies given");
  const auto count = static_cast<double>(accuracies.size());
  Comparison result;
  result.seeds = static_cast<int>(accuracies.size());
  for (const double value : accuracies) result.mean += value / count;
  double variance = 0.0;
  for (const double value : accuracies) variance += std::pow(value - result.mean, 2) / count;
  result.std = std::sqrt(variance);
  result.paper = paper;
  if (paper) {
    result.margin = 2.0 * std::sqrt(variance / count + std::pow(paper->std, 2) / kPaperSeeds);
  }
  return result;
}

}  // namespace stkr
