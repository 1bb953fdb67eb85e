#include "model/length_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernel/bandwidth.hpp"

namespace stkr {
namespace {

Index default_neighbor(Index candidates) {
  return std::min<Index>(10, std::max<Index>(candidates - 1, 1));
}

bool are_numbers(const Labels& labels) { return std::holds_alternative<TargetValues>(labels); }

// "10th"
std::string ordinal(Index k) {
  return fmt::format("{}{}", k, k == 1 ? "st" : k == 2 ? "nd" : k == 3 ? "rd" : "th");
}

// ‖·‖₁ of a difference is about this many times its ‖·‖₂; it has as many entries as two points.
double l1_factor(const Points& points) {
  double entries = static_cast<double>(points.values.cols());
  if (const auto& sparse = points.values.sparse()) {
    const double two = 2.0 * static_cast<double>(sparse->entries()) /
                       static_cast<double>(std::max<Index>(sparse->rows, 1));
    entries = std::clamp(two, 1.0, entries);
  }
  return std::sqrt(2.0 / std::numbers::pi * entries);
}

}  // namespace

double neighbor_distance(const Points& points, const Labels& labels, const Context& context) {
  std::vector<Index> labeled;
  if (are_numbers(labels)) labeled = labeled_indices(labels);
  // One or two labeled samples give no meaningful distance.
  if (labeled.size() < 3) labeled.clear();
  const Index candidates =
      labeled.empty() ? points.values.rows() : static_cast<Index>(labeled.size());
  return median_neighbor_distance(points.values, default_neighbor(candidates), context.seed, 1000,
                                  context, labeled);
}

ChosenScale length_scale_for(const Kernel& kernel, const LengthScale& scale, const Points& points,
                             const Labels& labels, const Execution& execution,
                             const Context& context) {
  const bool l1 = kernel.kind() == KernelKind::laplacian;
  if (scale.median) {
    return {(l1 ? l1_factor(points) : 1.0) * median_distance(points.values, context.seed),
            "length scale: the median distance between points"};
  }
  if (!scale.relative) return {scale.value, ""};
  const bool numbers = are_numbers(labels);
  const double distance =
      scale.value * (execution.neighbor_distance ? *execution.neighbor_distance
                                                 : neighbor_distance(points, labels, context));
  const Index neighbor = default_neighbor(
      numbers ? static_cast<Index>(labeled_indices(labels).size()) : points.values.rows());
  const std::string which = fmt::format(
      "the median distance to the {} {}neighbor{}", ordinal(neighbor), numbers ? "labeled " : "",
      scale.is_default() ? "" : fmt::format(", times {:g}", scale.value));
  if (kernel.kind() == KernelKind::epsilon_neighbor) return {distance, "radius: " + which};
  // Half of it for classes: labels spread through the unlabeled samples between them.
  // docs/points.md has measurements of this and alternatives.
  const double share = numbers ? 1.0 : 0.5;
  const std::string part = numbers ? which : "half of " + which;
  if (l1) {
    return {share * distance * l1_factor(points),
            fmt::format("length scale: {}, in the L1 norm", part)};
  }
  return {share * distance, "length scale: " + part};
}

}  // namespace stkr
