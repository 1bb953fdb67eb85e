#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "neighbor_scan.hpp"

namespace stkr {

// Finds, for each query x, the points y whose own reach r covers it: the distance, in double
// precision, is at most r. By ‖x - y‖² = ‖x‖² + ‖y‖² - 2<x,y> that requires
//   <x,y> ≥ (‖y‖² - r²)/2 + ‖x‖²/2.
// In single precision the error of an inner product of d terms is at most d u ‖x‖‖y‖, u = 2⁻²⁴, in
// any order of summation (Jeannerod and Rump, SIAM J. Matrix Anal. Appl. 34, 2013), which is at
// most d u (‖x‖² + ‖y‖²)/2: a term in x plus a term in y. Both sides are lowered by these terms,
// and points still below are out of reach. The distances of the others are computed immediately, so
// that only points within reach are stored.
class ReachLists {
 public:
  using Found = std::vector<std::pair<std::int32_t, double>>;  // point and distance

  // Keeps the views and a reference to `reach`, which has one entry per point.
  ReachLists(ScanPoints<float> queries, ScanPoints<float> points, const Vector& reach);

  // The y part of the bound per point, passed to offer_row in the order of its columns.
  const std::vector<float>& thresholds() const { return thresholds_; }

  // Stores the columns of one row of inner products that reach query q. `index` numbers the
  // columns; null means `first`, `first` + 1, ... No column may be offered twice.
  void offer_row(Index q, const float* products, const float* thresholds, Index columns,
                 const std::int32_t* index, std::int32_t first);

  // In the order of the offers.
  Found& found(Index q) { return found_[q]; }

 private:
  ScanPoints<float> queries_, points_;
  const Vector& reach_;
  std::vector<float> thresholds_;
  std::vector<float> floors_;  // the x part of the bound per query
  std::vector<Found> found_;
};

}  // namespace stkr
