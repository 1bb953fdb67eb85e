#pragma once

#include <optional>
#include <vector>

#include "stkr/dataset/dataset.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/selection/grid.hpp"

namespace stkr {

// Beyond so many points, only sparse kernels are tried: the others cost N² per product.
inline constexpr Index kMostDense = 5000;

// Every label costs a column of every product: with more labels, so many of them decide.
inline constexpr std::size_t kMostDeciding = 300;

// A kernel that fit_automatic tries.
struct AutomaticCandidate {
  Specification spec;
  std::string description;
  double preference = 0.0;  // added to its score, in nats
};

// Whether fit_automatic has something to choose: the kernel, the transform or the ridge of STKR.
// Without `kernel`, only the transform and the ridge count.
bool is_open(const Specification& spec, bool kernel = true);

// Whether that includes the kernel.
bool kernel_open(const Specification& spec);

// k of the neighbor graph: 10, or log₂ N of many points; fewer if there are no more.
Index usual_neighbors(Index points);

// The neighbor graph of dense points that is tried first. With more than 100 features, neighbors
// are those in 50 principal components.
NeighborGraphSpec usual_neighbor_graph(Index points, Index features);

// The specification's own kernel, where there is nothing to choose.
AutomaticCandidate named_candidate(DatasetKind kind, const Specification& spec);

// The kernels to try for this data, the one for too few labels to choose first; just the
// specification's own if it names one. `all`: otherwise only the first.
std::vector<AutomaticCandidate> automatic_candidates(const Dataset& dataset,
                                                     const Specification& spec, bool all = true,
                                                     const Context& context = {});

// The kernel to try if there is only one because the dense points are too many for others; else
// none. `numbers`: whether labels are.
std::optional<AutomaticCandidate> only_candidate(const ProblemShape& points, bool numbers,
                                                 const Specification& spec);

// The transforms and ridges to try: what the specification leaves open. Nullopt if its transform is
// not one of a grid's; the defaults of fit_model are then used. `largest_eigenvalue` of the gram.
std::optional<Grid> automatic_grid(const Specification& spec, bool regression,
                                   double largest_eigenvalue);

}  // namespace stkr
