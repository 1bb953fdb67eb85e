#pragma once

#include <utility>
#include <vector>

#include "stkr/gram/neighbor_graph.hpp"

namespace stkr {

// What edges need to know of the known points, from their neighbors. Fills length_scale where none
// is given. Points must be as given to the index.
NeighborEdges measure_edges(const Neighbors& neighbors, const NeighborGraphOptions& options);

// σ of a point from the distances to its neighbors; `fallback` where it has no neighbor at a
// positive distance.
double local_scale(const Neighbors& neighbors, Index i, double fallback);

// w of an edge; symmetric in the two scales.
double edge_weight(const NeighborEdges& edges, double distance, double sigma_x, double sigma_y);

// The edges of one point, appended to a sparse matrix in the order of their columns.
using EdgeRow = std::vector<std::pair<std::int32_t, double>>;
void append_row(EdgeRow& row, CsrMatrix& edges);

// Points as the search wants them: of length 1 where angles count, as they are else.
Matrix directions(ConstMatrixRef points);

// The point of `among` nearest to each of some points as the index has them (unshifted), or of some
// of its own. Ties are broken by the order of `among`.
std::vector<Index> nearest_points(const NeighborIndex& index, ConstMatrixRef points,
                                  std::span<const Index> among);
std::vector<Index> nearest_points(const NeighborIndex& index, std::span<const Index> samples,
                                  std::span<const Index> among);

}  // namespace stkr
