#pragma once

#include "stkr/kernel/nearest_neighbors.hpp"

namespace stkr {

// A neighbor search stores points in single precision. Throws ValueError if that loses the
// information that determines neighbors: for more than 1% of the points, rounding exceeds a quarter
// of the distance to the last neighbor (groups 10 apart at sites 1e9 apart), or many different
// points were rounded to one (features below 1e-45). `points` are those of the index, in their own
// precision.
void check_neighbor_rounding(const SharedMatrix& points, const NeighborIndex& index,
                             const Neighbors& neighbors, const char* who);

}  // namespace stkr
