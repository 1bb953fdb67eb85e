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

// The parts of that check, for points of which several processes have some.
struct LostPoints {
  Index count = 0;
  Index row = -1;  // the first one
  double rounding = 0.0;
  double distance = 0.0;

  void add(Index found, double off, double last) {
    if (count++ > 0) return;
    row = found;
    rounding = off;
    distance = last;
  }
};

// How far storing moves a point: `x` is as given, minus the shift.
double storage_rounding(const Eigen::RowVectorXd& x, const float* stored);
// Whether that is too far for neighbors of which the last is at this distance.
bool exceeds_reach(double rounding, double last);
// The distance to the last of the neighbors that a point keeps besides its `copies`, which come
// first: row `i` has those of the first point at its place.
double distance_of_last(const Neighbors& neighbors, Index i, Index copies);
// Whether points that storing made equal were equal up to rounding before: `apart` is their
// distance, `norm` the length of one.
bool equal_before(double apart, double norm);
void check_lost_points(const LostPoints& lost, Index size, const char* who);

}  // namespace stkr
