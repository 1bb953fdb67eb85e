#pragma once

#include <string>
#include <vector>

#include "stkr/specification/specification.hpp"

namespace stkr {

// The kernels that selection tries, each with the whole grid of transforms and ridges. An empty
// list keeps the specification's setting.
struct KernelGrid {
  // For graphs, graph kernels replace the graph's own kernel, and point kernels replace the kernel
  // of the node features.
  std::vector<KernelSpec> kernels{};
  std::vector<LengthScale> length_scales{};  // of point kernels that have one
  std::vector<Index> neighbor_counts{};      // k of knn
  std::vector<double> mixes{};               // share of the added kernel in the sum, 0 to 1
  // k of smoothed node features. Each k is a gram of its own: products with Φ are never formed, so
  // there is nothing to reuse.
  std::vector<Index> smoothings{};

  bool empty() const {
    return kernels.empty() && length_scales.empty() && neighbor_counts.empty() && mixes.empty() &&
           smoothings.empty();
  }
};

// Throws ValueError, with the value and the allowed range, for scales and counts that are not
// positive, shares outside [0, 1] and a value listed twice.
void check_kernel_grid(const KernelGrid& grid);

struct KernelCandidate {
  Specification spec;
  std::string description;  // "0.75 lazy-walk + 0.25 rbf 0.5x"; empty if only one is tried
};

// Every combination, kernels outermost and mixes innermost, without duplicates: a length scale does
// not change a kernel that has none, and nothing changes a kernel with share 0. With mixes, the
// node features of a graph get their default kernel if `spec` adds none. With smoothings, that is
// cosine, alone (share 1) unless mixes are given. Throws ValueError if mixes are given and there is
// no kernel to add, or more than one, and if smoothings are given for data that are no graph.
std::vector<KernelCandidate> kernel_candidates(const KernelGrid& grid, const Specification& spec,
                                               DatasetKind kind);

}  // namespace stkr
