#include "model/length_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernel/bandwidth.hpp"

namespace stkr {
namespace {

bool are_numbers(const Labels& labels) { return std::holds_alternative<TargetValues>(labels); }

// "10th"
std::string ordinal(Index k) {
  return fmt::format("{}{}", k, k == 1 ? "st" : k == 2 ? "nd" : k == 3 ? "rd" : "th");
}

// A difference has as many entries as two points.
double l1_factor_of(const Points& points) {
  double entries = static_cast<double>(points.values.cols());
  if (const auto& sparse = points.values.sparse()) {
    const double two = 2.0 * static_cast<double>(sparse->entries()) /
                       static_cast<double>(std::max<Index>(sparse->rows, 1));
    entries = std::clamp(two, 1.0, entries);
  }
  return l1_factor(entries);
}

}  // namespace

double l1_factor(double entries) { return std::sqrt(2.0 / std::numbers::pi * entries); }

Index default_neighbor(Index candidates) {
  return std::min<Index>(10, std::max<Index>(candidates - 1, 1));
}

std::vector<Index> neighbor_candidates(std::vector<Index> labeled, bool numbers) {
  // One or two labeled samples give no meaningful distance.
  if (!numbers || labeled.size() < 3) labeled.clear();
  return labeled;
}

double neighbor_distance(const Points& points, const Labels& labels, const Context& context) {
  const std::vector<Index> labeled =
      neighbor_candidates(labeled_indices(labels), are_numbers(labels));
  const Index candidates =
      labeled.empty() ? points.values.rows() : static_cast<Index>(labeled.size());
  return median_neighbor_distance(points.values, default_neighbor(candidates), context.seed, 1000,
                                  context, labeled);
}

ChosenScale length_scale_for(const Kernel& kernel, const LengthScale& scale, const Points& points,
                             const Labels& labels, const Execution& execution,
                             const Context& context) {
  PointDistances distances{.points = points.values.rows(),
                           .numbers = are_numbers(labels),
                           .l1_factor = l1_factor_of(points)};
  if (distances.numbers) distances.labeled = static_cast<Index>(labeled_indices(labels).size());
  distances.median = [&] { return median_distance(points.values, context.seed); };
  distances.neighbor = [&] {
    return execution.neighbor_distance ? *execution.neighbor_distance
                                       : neighbor_distance(points, labels, context);
  };
  return length_scale_for(kernel, scale, distances);
}

ChosenScale length_scale_for(const Kernel& kernel, const LengthScale& scale,
                             const PointDistances& distances) {
  const bool l1 = kernel.kind() == KernelKind::laplacian, numbers = distances.numbers;
  if (scale.median) {
    return {(l1 ? distances.l1_factor : 1.0) * distances.median(),
            "length scale: the median distance between points"};
  }
  if (!scale.relative) return {scale.value, ""};
  const double distance = scale.value * distances.neighbor();
  const Index neighbor = default_neighbor(numbers ? distances.labeled : distances.points);
  const std::string which = fmt::format(
      "the median distance to the {} {}neighbor{}", ordinal(neighbor), numbers ? "labeled " : "",
      scale.is_default() ? "" : fmt::format(", times {:g}", scale.value));
  if (kernel.kind() == KernelKind::epsilon_neighbor) return {distance, "radius: " + which};
  // Half of it for classes: labels spread through the unlabeled samples between them.
  // docs/points.md has measurements of this and alternatives.
  const double share = numbers ? 1.0 : 0.5;
  const std::string part = numbers ? which : "half of " + which;
  if (l1) {
    return {share * distance * distances.l1_factor,
            fmt::format("length scale: {}, in the L1 norm", part)};
  }
  return {share * distance, "length scale: " + part};
}

}  // namespace stkr
