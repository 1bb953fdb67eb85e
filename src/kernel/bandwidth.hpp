#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "stkr/linop/feature_matrix.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

// Length scales from the data. If most distances are 0, because points have many copies, the others
// count. All functions throw ValueError if there is none.

// The median heuristic: the median of ‖x-y‖₂ over `sample` random pairs of different points, the
// usual length scale of a kernel that should cover the whole data set.
double median_distance(const FeatureMatrix& points, std::uint64_t seed = 0, Index sample = 10000);

// The median, over at most `sample` random points, of the distance to the k-th nearest neighbor
// among all points (or among the points listed in `among`, if any): a local length scale, or the ε
// that gives a graph about k neighbors per node. Costs sample × N distances. Throws Cancelled if
// cancellation is requested.
double median_neighbor_distance(const FeatureMatrix& points, Index k, std::uint64_t seed = 0,
                                Index sample = 1000, const Context& context = {},
                                std::span<const Index> among = {});

// ℓ for which a point has about `count` effective neighbors under exp(-‖x-y‖²/(2ℓ²)): the median,
// over at most `sample` random points, of the sum over all others is `count`. At most half of the
// points.
double effective_neighbor_scale(const FeatureMatrix& points, double count, std::uint64_t seed = 0,
                                Index sample = 100);

// What these are made of, for points of which several processes have some: the pairs whose
// distances count, and the median distance of squared ones. `who` starts messages.
std::vector<std::pair<Index, Index>> sampled_pairs(Index points, std::uint64_t seed,
                                                   Index sample = 10000);
double positive_median(std::vector<double> squares, const char* who);

}  // namespace stkr
