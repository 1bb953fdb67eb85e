#pragma once

#include "stkr/kernel/nearest_neighbors.hpp"

namespace stkr {

// A neighbor search keeps points in single precision. Throws ValueError where that loses what
// decides who is near: the rounding of more than one point in a hundred is above a quarter of the
// distance to its last neighbor (groups 10 apart at sites 1e9 apart), or a crowd of points that
// differ was rounded to one (features below 1e-45). `points` are those of the index, in their own
// precision.
void check_neighbor_rounding(const SharedMatrix& points, const NeighborIndex& index,
                             const Neighbors& neighbors, const char* who);

}  // namespace stkr
