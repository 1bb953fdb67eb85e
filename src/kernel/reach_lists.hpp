#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "neighbor_scan.hpp"

namespace stkr {

// For each query x the points y whose own reach r covers it: the distance, in double precision, is
// at most r. From ‖x - y‖² = ‖x‖² + ‖y‖² - 2<x,y> that needs
//   <x,y> ≥ (‖y‖² - r²)/2 + ‖x‖²/2.
// In single precision an inner product of d terms is off by at most d u ‖x‖‖y‖, u = 2⁻²⁴, in any
// order of summation (Jeannerod and Rump, SIAM J. Matrix Anal. Appl. 34, 2013), which is at most
// d u (‖x‖² + ‖y‖²)/2: a part of x and a part of y. So both sides are lowered by their parts, and
// whatever is still below them is out of reach. The distances of the rest decide, at once: nothing
// is kept but what is found.
class ReachLists {
 public:
  using Found = std::vector<std::pair<std::int32_t, double>>;  // point and distance

  // Keeps the views and the reach, one for each point.
  ReachLists(ScanPoints<float> queries, ScanPoints<float> points, const Vector& reach);

  // Of each point, the part of y: what offer_row takes, in the order of its columns.
  const std::vector<float>& thresholds() const { return thresholds_; }

  // Takes the columns of one row of inner products that reach query q. `index` numbers the columns;
  // null: `first`, `first` + 1, ... No column may be offered twice.
  void offer_row(Index q, const float* products, const float* thresholds, Index columns,
                 const std::int32_t* index, std::int32_t first);

  // In the order of the offers.
  Found& found(Index q) { return found_[q]; }

 private:
  ScanPoints<float> queries_, points_;
  const Vector& reach_;
  std::vector<float> thresholds_;
  std::vector<float> floors_;  // of each query, the part of x
  std::vector<Found> found_;
};

}  // namespace stkr
