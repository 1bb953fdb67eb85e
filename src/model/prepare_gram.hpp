#pragma once

#include "stkr/gram/graph_gram.hpp"
#include "stkr/gram/neighbor_graph.hpp"
#include "stkr/model/fit_model.hpp"

namespace stkr {

// How a summary names the kernel of a graph. `is_default`: the user named none.
Choice graph_kernel_choice(const GraphKernelSpec& spec, bool is_default);

// The options of a neighbor graph of so many points, and how a summary names it: the length scale
// of heat edges, the principal components (0: none) and the recall are those that were found.
NeighborGraphOptions neighbor_options(const NeighborGraphSpec& spec, Index points);
Choice neighbor_kernel_choice(const NeighborGraphSpec& spec, const NeighborGraphOptions& options,
                              double length_scale, Index components, double recall);

// The same of a kernel of points, and why its length scale is this.
Choice point_kernel_choice(const Kernel& kernel, const std::string& why, bool is_default);
// Completes the gram of the only kernel: normalizes it by degrees if the kernel says so, gives
// samples weights and centers it if the specification says so, and describes it. `graph`: of the
// nodes, if the gram is that of a graph kernel.
void finish_gram(const Specification& spec, const KernelSpec& kernel, const GraphDegrees* graph,
                 PreparedGram& prepared);

}  // namespace stkr
