#pragma once

#include "kernel/sparse_points.hpp"
#include "runtime/aligned_vector.hpp"
#include "runtime/simd_vector.hpp"
#include "stkr/kernel/kernel.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// A view of consecutive points, one per row, with their ‖x‖₂². The arrays must outlive it.
template <class Scalar>
struct PointRows {
  const Scalar* data = nullptr;
  Index count = 0;
  Index features = 0;
  const Scalar* squared_norms = nullptr;
  const CsrMatrix* sparse = nullptr;  // instead of `data`: its rows from `first` on
  Index first = 0;

  PointRows slice(Index begin, Index length) const {
    return {sparse ? nullptr : data + begin * features,
            length,
            features,
            squared_norms + begin,
            sparse,
            first + begin};
  }
  SparsePoint sparse_row(Index i) const { return sparse_point(*sparse, first + i); }
};

// Σ x_k² in double, regardless of the precision of the points.
template <class Scalar>
double squared_norm(const Scalar* x, Index features);

// The column points of a tile, packed feature by feature in panels a few vectors wide, the order in
// which the inner loop reads them; of sparse points, the points of each feature. Reused from tile
// to tile, so memory is allocated once.
template <class Scalar>
class PackedPoints {
 public:
  static constexpr Index panel_width = 3 * simd::lanes<Scalar>;

  void pack(PointRows<Scalar> points);

  const PointRows<Scalar>& rows() const { return rows_; }
  Index panels() const { return padded_count() / panel_width; }
  // The length of a tile row: the last panel is padded with zero points.
  Index padded_count() const { return padded(rows_.count); }
  static Index padded(Index count) { return (count + panel_width - 1) / panel_width * panel_width; }

  const Scalar* panel(Index p) const { return data_.data() + p * panel_width * rows_.features; }
  const Scalar* squared_norms() const { return squared_norms_.data(); }
  const Scalar* inverse_norms() const { return inverse_norms_.data(); }

  // Of sparse points:
  const FeatureLists& lists() const { return lists_; }
  const Scalar* absolute_sums() const { return absolute_sums_.data(); }  // ‖y‖₁

 private:
  void pack_panels();

  PointRows<Scalar> rows_;
  AlignedVector<Scalar> data_;
  AlignedVector<Scalar> squared_norms_;
  AlignedVector<Scalar> inverse_norms_;  // 0 for the zero vector
  FeatureLists lists_;
  AlignedVector<Scalar> absolute_sums_;
};

// tile(i, j) = K(x_i, y_j). Tile rows are `stride` ≥ y.padded_count() apart; entries past
// y.rows().count are finite and meaningless. Distances are computed from inner products, ‖x-y‖² =
// ‖x‖² + ‖y‖² - 2<x,y>; the few pairs for which that cancels, or for which an ε-neighbor lies
// within rounding of ε, are recomputed from x - y. K(x, y) and K(y, x) are bit-identical. Runs on
// the calling thread. Instantiated for float and double.
template <class Scalar>
void evaluate_tile(const Kernel& kernel, PointRows<Scalar> x, const PackedPoints<Scalar>& y,
                   Scalar* tile, Index stride);

// The same for ‖x_i - y_j‖₂².
template <class Scalar>
void squared_distance_tile(PointRows<Scalar> x, const PackedPoints<Scalar>& y, Scalar* tile,
                           Index stride);

}  // namespace stkr
