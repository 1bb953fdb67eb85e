#pragma once

#include <utility>
#include <vector>

#include "stkr/gram/neighbour_graph.hpp"

namespace stkr {

// What edges need to know of the known points, from their neighbours. Fills length_scale where none
// is given. Points must be as given to the index.
NeighbourEdges measure_edges(const Neighbours& neighbours, const NeighbourGraphOptions& options);

// σ of a point from the distances to its neighbours; `fallback` where it has no neighbour at a
// positive distance.
double local_scale(const Neighbours& neighbours, Index i, double fallback);

// w of an edge; symmetric in the two scales.
double edge_weight(const NeighbourEdges& edges, double distance, double sigma_x, double sigma_y);

// The edges of one point, appended to a sparse matrix in the order of their columns.
using EdgeRow = std::vector<std::pair<std::int32_t, double>>;
void append_row(EdgeRow& row, CsrMatrix& edges);

// Points as the search wants them: of length 1 where angles count, as they are else.
Matrix directions(ConstMatrixRef points);

// The point of `among` nearest to each of some points as the index has them (unshifted), or of some
// of its own. Ties are broken by the order of `among`.
std::vector<Index> nearest_points(const NeighbourIndex& index, ConstMatrixRef points,
                                  std::span<const Index> among);
std::vector<Index> nearest_points(const NeighbourIndex& index, std::span<const Index> samples,
                                  std::span<const Index> among);

}  // namespace stkr
