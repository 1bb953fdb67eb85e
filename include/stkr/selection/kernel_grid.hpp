#pragma once

#include <string>
#include <vector>

#include "stkr/estimator/recipe.hpp"

namespace stkr {

struct LengthScale {
  double value = 1.0;
  bool relative = true;  // in units of the default for the data at hand
  bool median = false;   // the median distance between points instead, whatever `value` is

  bool operator==(const LengthScale&) const = default;
};

void set_length_scale(const LengthScale& scale, KernelRecipe& kernel);

// The kernels that selection tries, each with the whole grid of transforms and ridges. An empty
// list leaves what the recipe says.
struct KernelGrid {
  // Names. Of points; for a graph names of graph kernels vary its own kernel, names of kernels of
  // points that of its nodes' features.
  std::vector<std::string> kernels{};
  std::vector<LengthScale> length_scales{};  // of the kernels of points that have one
  std::vector<Index> neighbor_counts{};      // k of knn
  std::vector<double> mixes{};               // the share of the added kernel in the sum, 0 to 1

  bool empty() const {
    return kernels.empty() && length_scales.empty() && neighbor_counts.empty() && mixes.empty();
  }
};

// Throws ValueError, with the value and what is allowed, for scales and counts that are not
// positive, shares outside [0, 1] and a value listed twice.
void check_kernel_grid(const KernelGrid& grid);

struct KernelCandidate {
  Recipe recipe;
  std::string description;  // "0.75 lazy-walk + 0.25 rbf 0.5x"; empty where there is no choice
};

// Every combination, kernels outermost and mixes innermost, each kernel once: a scale makes no
// difference to a kernel without any, nor does anything to a kernel whose share is 0. With mixes,
// the features of a graph's nodes get an rbf kernel where `recipe` adds none. Throws ValueError
// where mixes meet no kernel to add, or several.
std::vector<KernelCandidate> kernel_candidates(const KernelGrid& grid, const Recipe& recipe,
                                               DatasetKind kind);

}  // namespace stkr
