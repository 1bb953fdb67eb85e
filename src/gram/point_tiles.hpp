#pragma once

#include <algorithm>
#include <vector>

#include "gram/known_points.hpp"
#include "kernel/kernel_tile.hpp"
#include "runtime/aligned_vector.hpp"
#include "tile_product.hpp"

namespace stkr {

// A tile is evaluated this many rows at a time, so that it is still in cache when it is multiplied.
inline constexpr Index tile_rows = 64;

// Columns of a tile: a multiple of the panel widths of float and double. Large enough to make
// packing and horizontal sums negligible, small enough that small problems give every thread some
// tiles (partitioned by size, never by thread count) and that packed points stay within a few MB.
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
  explicit PointTiles(const KnownPoints<Scalar>& points)
      : kernel_(points.kernel()), points_(points) {}

  // Computes K_ij for the blocks that start at samples i and j: rows × padded columns. A diagonal
  // block takes K(x, x) from its formula, without rounding from distances that should be 0.
  void fill(Index i, Index rows, Index j, Index columns, Scalar* tile) {
    pack(j, columns);
    for (Index r = 0; r < rows; r += tile_rows) {
      evaluate_rows(i, j, r, std::min(tile_rows, rows - r), tile + r * length_);
    }
  }

  // y_i += K_ij x_j and y_j += K_ijᵀ x_i for the blocks that start at samples i and j. `kept` is
  // the output of fill() for them, or null.
  void add_pair(Index i, Index rows, Index j, Index columns, ConstMatrixRef x_i, ConstMatrixRef x_j,
                MatrixRef y_i, MatrixRef y_j, const Scalar* kept) {
    start(j, columns, x_j, kept);
    add_both(rows, x_i, y_i, y_j,
             [&](Index r, Index count) { return rows_of(i, j, r, count, kept); });
  }

  // The same for other points, shifted as the known ones are, instead of those of block i.
  void add_pair(PointRows<Scalar> points, Index j, Index columns, ConstMatrixRef x_points,
                ConstMatrixRef x_j, MatrixRef y_points, MatrixRef y_j) {
    start(j, columns, x_j, nullptr);
    add_both(points.count, x_points, y_points, y_j, [&](Index r, Index count) {
      evaluate_tile(kernel_, points.slice(r, count), packed_, tile_.data(), length_);
      return tile_.data();
    });
  }

  // y_i += K_ii x_i
  void add_diagonal(Index i, Index rows, ConstMatrixRef x_i, MatrixRef y_i, const Scalar* kept) {
    start(i, rows, x_i, kept);
    for (Index r = 0; r < rows; r += tile_rows) {
      const Index count = std::min(tile_rows, rows - r);
      multiply(rows_of(i, i, r, count, kept), count, y_i.middleRows(r, count));
    }
  }

  // y += K(new points, block at j) x_j
  void add_new(PointRows<Scalar> points, Index j, Index columns, ConstMatrixRef x_j, MatrixRef y) {
    start(j, columns, x_j, nullptr);
    for (Index r = 0; r < points.count; r += tile_rows) {
      const Index count = std::min(tile_rows, points.count - r);
      evaluate_tile(kernel_, points.slice(r, count), packed_, tile_.data(), length_);
      multiply(tile_.data(), count, y.middleRows(r, count));
    }
  }

 private:
  void pack(Index j, Index columns) {
    packed_.pack(points_.rows(j, columns, column_buffer_));
    length_ = packed_.padded_count();
  }
  void start(Index j, Index columns, ConstMatrixRef x_j, const Scalar* kept) {
    if (kept) {
      length_ = PackedPoints<Scalar>::padded(columns);
    } else {
      pack(j, columns);
      tile_.resize(tile_rows * length_);
    }
    x_.resize(x_j.cols() * length_);
    tile::transpose(x_j, length_, x_.data());
  }
  // y_rows += K x_j and y_j += Kᵀ x_rows, where x_j was given to start() and tile_of(r, count) has
  // rows [r, r + count) of K.
  template <class Tile>
  void add_both(Index rows, ConstMatrixRef x_rows, MatrixRef y_rows, MatrixRef y_j,
                Tile&& tile_of) {
    y_.assign(x_rows.cols() * length_, 0.0);
    for (Index r = 0; r < rows; r += tile_rows) {
      const Index count = std::min(tile_rows, rows - r);
      const Scalar* tile = tile_of(r, count);
      multiply(tile, count, y_rows.middleRows(r, count));
      tile::add_transposed_product(tile, length_, count, length_, x_rows.row(r).data(),
                                   x_rows.outerStride(), x_rows.cols(), y_.data());
    }
    for (Index q = 0; q < y_j.rows(); ++q) {
      for (Index c = 0; c < y_j.cols(); ++c) y_j(q, c) += y_[c * length_ + q];
    }
  }
  // Rows [r, r + count) of K_ij.
  void evaluate_rows(Index i, Index j, Index r, Index count, Scalar* to) {
    evaluate_tile(kernel_, points_.rows(i + r, count, row_buffer_), packed_, to, length_);
    if (i != j || kernel_.of_points()) return;
    for (Index q = 0; q < count; ++q) {
      to[q * length_ + r + q] = static_cast<Scalar>(points_.at_itself(i + r + q));
    }
  }
  const Scalar* rows_of(Index i, Index j, Index r, Index count, const Scalar* kept) {
    if (kept) return kept + r * length_;
    evaluate_rows(i, j, r, count, tile_.data());
    return tile_.data();
  }
  void multiply(const Scalar* tile, Index rows, MatrixRef y) const {
    tile::add_product(tile, length_, rows, length_, x_.data(), y.cols(), y.data(), y.outerStride());
  }

  const Kernel& kernel_;
  const KnownPoints<Scalar>& points_;
  std::vector<Scalar> row_buffer_;
  std::vector<Scalar> column_buffer_;
  PackedPoints<Scalar> packed_;
  Index length_ = 0;
  AlignedVector<Scalar> tile_;
  AlignedVector<double> x_;
  AlignedVector<double> y_;
};

// out = K(x, y)
template <class Scalar>
void evaluate_block(const Kernel& kernel, PointRows<Scalar> x, const PackedPoints<Scalar>& y,
                    MatrixRef out) {
  const Index length = y.padded_count();
  std::vector<Scalar> tile(tile_rows * length);
  for (Index r = 0; r < x.count; r += tile_rows) {
    const Index count = std::min(tile_rows, x.count - r);
    evaluate_tile(kernel, x.slice(r, count), y, tile.data(), length);
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j < out.cols(); ++j) {
        out(r + i, j) = static_cast<double>(tile[i * length + j]);
      }
    }
  }
}

}  // namespace stkr
