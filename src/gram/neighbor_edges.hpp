#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "stkr/gram/neighbor_graph.hpp"

namespace stkr {

// The median of numbers, or `fallback` if there are none.
using MedianOr = std::function<double(std::vector<double> values, double fallback)>;
double median_or(std::vector<double> values, double fallback);

// Computes the scales and reaches of the known points from their neighbors. Chooses length_scale if
// none is given: `median` is asked once, in processes that share the points by all together. Points
// must be as given to the index.
NeighborEdges measure_edges(const Neighbors& neighbors, const NeighborGraphOptions& options,
                            const MedianOr& median = median_or);

// σ of a point from the distances to its neighbors; `fallback` if it has no neighbor at a positive
// distance.
double local_scale(const Neighbors& neighbors, Index i, double fallback);

// w of an edge; symmetric in the two scales.
double edge_weight(const NeighborEdges& edges, double distance, double sigma_x, double sigma_y);

// The neighbors of points `first`, `first` + 1, ... of `size` in ascending order, with their
// weights. `sigma` gives that of every point that is one of them or their neighbor.
CsrMatrix directed_edges(const Neighbors& neighbors, const NeighborEdges& edges, Index first,
                         Index size, const std::function<double(Index)>& sigma);

// The edges of one point; append_row appends them to a sparse matrix, sorted by column.
using EdgeRow = std::vector<std::pair<std::int32_t, double>>;
void append_row(EdgeRow& row, CsrMatrix& edges);

// Points scaled to length 1, for searches by angle. Sparse points get one more feature, which is 1
// for points without entries: these are orthogonal to all others, as texts without words should be.
FeatureMatrix directions(const FeatureMatrix& points);

// Points in the coordinates that are searched: their principal components if there are `axes`,
// directions for searches by angle.
FeatureMatrix searched_points(const FeatureMatrix& points, const PrincipalAxes* axes,
                              EdgeWeight weight, int threads);

// The point of `among` nearest to each of some points in the coordinates of the index (unshifted),
// or to some points of the index. Ties are broken by the order of `among`.
std::vector<Index> nearest_points(const NeighborIndex& index, const FeatureMatrix& points,
                                  std::span<const Index> among);
std::vector<Index> nearest_points(const NeighborIndex& index, std::span<const Index> samples,
                                  std::span<const Index> among);

// What a saved cross kernel of dense points begins with, if neighbors are those in all features.
// Spelled as in older models.
inline constexpr const char* kDenseNeighbors = "neighbours";
// Writes everything about edges but the numbers of each point.
void save_rule(CrossKernelSink& sink, const char* kind, const NeighborOptions& options,
               const NeighborEdges& edges);

}  // namespace stkr
