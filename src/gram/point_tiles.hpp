#pragma once

#include <algorithm>
#include <vector>

#include "stkr/kernel/kernel_tile.hpp"
#include "tile_product.hpp"

namespace stkr {

// A tile is evaluated this many rows at a time, so that it is still in cache when it is multiplied.
inline constexpr Index tile_rows = 64;

// Columns of a tile: a multiple of the panels of float and double. Long enough that packing and the
// horizontal sums do not matter, short enough that small problems give every thread some tiles (cut
// by size, never by thread count) and that packed points stay within a few MB.
template <class Scalar>
Index tile_columns(Index size, Index features) {
  constexpr Index panel = PackedPoints<Scalar>::panel_width;
  constexpr Index longest = 480 / panel * panel;
  constexpr Index packed_bytes = 8 << 20;
  const Index fair = PackedPoints<Scalar>::padded((size + 15) / 16);
  const Index fits = packed_bytes / (features * static_cast<Index>(sizeof(Scalar))) / panel * panel;
  return std::max(panel, std::min({longest, fair, fits}));
}

// Evaluates tiles against one set of known points and adds their products. One per thread: it holds
// the thread's buffers.
template <class Scalar>
class PointTiles {
 public:
  PointTiles(const Kernel& kernel, PointRows<Scalar> points) : kernel_(kernel), points_(points) {}

  // y_i += K_ij x_j and y_j += K_ijᵀ x_i for the blocks that start at samples i and j.
  void add_pair(Index i, Index rows, Index j, Index columns, ConstMatrixRef x_i, ConstMatrixRef x_j,
                MatrixRef y_i, MatrixRef y_j) {
    pack(j, columns, x_j);
    y_.assign(x_i.cols() * length_, 0.0);
    for (Index r = 0; r < rows; r += tile_rows) {
      const Index count = std::min(tile_rows, rows - r);
      evaluate(points_.slice(i + r, count));
      multiply(count, y_i.middleRows(r, count));
      tile::add_transposed_product(tile_.data(), length_, count, length_, x_i.row(r).data(),
                                   x_i.outerStride(), x_i.cols(), y_.data());
    }
    for (Index q = 0; q < columns; ++q) {
      for (Index c = 0; c < y_j.cols(); ++c) y_j(q, c) += y_[c * length_ + q];
    }
  }

  // y_i += K_ii x_i, with K(x, x) by its formula: no rounding from distances that should be 0.
  void add_diagonal(Index i, Index rows, ConstMatrixRef x_i, MatrixRef y_i) {
    pack(i, rows, x_i);
    for (Index r = 0; r < rows; r += tile_rows) {
      const Index count = std::min(tile_rows, rows - r);
      evaluate(points_.slice(i + r, count));
      for (Index q = 0; q < count; ++q) {
        tile_[q * length_ + r + q] =
            static_cast<Scalar>(kernel_.at_itself(points_.squared_norms[i + r + q]));
      }
      multiply(count, y_i.middleRows(r, count));
    }
  }

  // y += K(new points, block at j) x_j
  void add_new(PointRows<Scalar> points, Index j, Index columns, ConstMatrixRef x_j, MatrixRef y) {
    pack(j, columns, x_j);
    for (Index r = 0; r < points.count; r += tile_rows) {
      const Index count = std::min(tile_rows, points.count - r);
      evaluate(points.slice(r, count));
      multiply(count, y.middleRows(r, count));
    }
  }

 private:
  void pack(Index j, Index columns, ConstMatrixRef x_j) {
    packed_.pack(points_.slice(j, columns));
    length_ = packed_.padded_count();
    x_.resize(x_j.cols() * length_);
    tile::transpose(x_j, length_, x_.data());
    tile_.resize(tile_rows * length_);
  }
  void evaluate(PointRows<Scalar> rows) {
    evaluate_tile(kernel_, rows, packed_, tile_.data(), length_);
  }
  void multiply(Index rows, MatrixRef y) const {
    tile::add_product(tile_.data(), length_, rows, length_, x_.data(), y.cols(), y.data(),
                      y.outerStride());
  }

  const Kernel& kernel_;
  PointRows<Scalar> points_;
  PackedPoints<Scalar> packed_;
  Index length_ = 0;
  std::vector<Scalar> tile_;
  std::vector<double> x_;
  std::vector<double> y_;
};

}  // namespace stkr
