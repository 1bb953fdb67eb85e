#pragma once

#include "runtime/simd_vector.hpp"
#include "stkr/matrix.hpp"

// Products of one tile with a few columns, the step after evaluating it: both directions read the
// same tile while it is in cache, so that a gram can exploit symmetry. Tiles are float or double;
// sums are always double. The order of every sum depends on the tile alone.
namespace stkr::tile {

// Tile rows are padded to whole vectors, like the panels of PackedPoints.
inline constexpr Index padding = simd::lanes<double>;

// The number of columns summed in registers at a time, with two rows or vectors each.
inline constexpr int widest_strip = simd::many_registers ? 12 : 6;

// out(c, j) = v(j, c) for j < v.rows(), 0 up to `length`.
inline void transpose(ConstMatrixRef v, Index length, double* out) {
  for (Index c = 0; c < v.cols(); ++c) {
    double* to = out + c * length;
    for (Index j = 0; j < v.rows(); ++j) to[j] = v(j, c);
    for (Index j = v.rows(); j < length; ++j) to[j] = 0.0;
  }
}

template <class Scalar>
inline simd::Vec<double, simd::lanes<double>> load_double(const Scalar* from) {
  constexpr int lanes = simd::lanes<double>;
  using V = simd::Vec<double, lanes>;
  return __builtin_convertvector((simd::load<Scalar, lanes>(from)), V);
}

// Adds halves until one lane is left.
template <int Lanes>
double sum_lanes(simd::Vec<double, Lanes> v) {
  if constexpr (Lanes == 1) {
    return v[0];
  } else {
    const auto* half = reinterpret_cast<const double*>(&v);
    return sum_lanes<Lanes / 2>(simd::load<double, Lanes / 2>(half) +
                                simd::load<double, Lanes / 2>(half + Lanes / 2));
  }
}

template <int Rows, int Columns, class Scalar>
void add_row_sums(const Scalar* tile, Index stride, Index length, const double* v, double* y,
                  Index y_stride) {
  constexpr int lanes = simd::lanes<double>;
  using V = simd::Vec<double, lanes>;
  V sum[Rows][Columns] = {};
  for (Index j = 0; j < length; j += lanes) {
    V t[Rows];
    for (int i = 0; i < Rows; ++i) t[i] = load_double(tile + i * stride + j);
    for (int c = 0; c < Columns; ++c) {
      const V vc = simd::load<double, lanes>(v + c * length + j);
      for (int i = 0; i < Rows; ++i) sum[i][c] += t[i] * vc;
    }
  }
  for (int i = 0; i < Rows; ++i) {
    for (int c = 0; c < Columns; ++c) y[i * y_stride + c] += sum_lanes<lanes>(sum[i][c]);
  }
}

template <int Vectors, int Columns, class Scalar>
void add_column_sums(const Scalar* tile, Index stride, Index rows, Index length, const double* v,
                     Index v_stride, double* y) {
  constexpr int lanes = simd::lanes<double>;
  using V = simd::Vec<double, lanes>;
  V sum[Vectors][Columns];
  for (int b = 0; b < Vectors; ++b) {
    for (int c = 0; c < Columns; ++c) {
      sum[b][c] = simd::load<double, lanes>(y + c * length + b * lanes);
    }
  }
  for (Index i = 0; i < rows; ++i) {
    V t[Vectors];
    for (int b = 0; b < Vectors; ++b) t[b] = load_double(tile + i * stride + b * lanes);
    for (int c = 0; c < Columns; ++c) {
      const double vc = v[i * v_stride + c];
      for (int b = 0; b < Vectors; ++b) sum[b][c] += t[b] * vc;
    }
  }
  for (int b = 0; b < Vectors; ++b) {
    for (int c = 0; c < Columns; ++c) {
      simd::store<double, lanes>(y + c * length + b * lanes, sum[b][c]);
    }
  }
}

// Calls body<width>(first column) over strips of about equal width, at most widest_strip each. The
// width is a template argument so that the sums of a strip stay in registers.
template <int Width = widest_strip, class Body>
void for_width(int width, Body&& body) {
  if constexpr (Width > 0) {
    if (width == Width) {
      body.template operator()<Width>();
    } else {
      for_width<Width - 1>(width, body);
    }
  }
}

template <class Body>
void for_strips(Index columns, Body&& body) {
  const Index strips = (columns + widest_strip - 1) / widest_strip;
  for (Index s = 0; s < strips; ++s) {
    const Index first = s * columns / strips;
    const Index last = (s + 1) * columns / strips;
    for_width(static_cast<int>(last - first),
              [&]<int Width>() { body.template operator()<Width>(first); });
  }
}

// y += T v: y is rows × columns with rows y_stride apart; v is the output of transpose().
template <class Scalar>
void add_product(const Scalar* tile, Index stride, Index rows, Index length, const double* v,
                 Index columns, double* y, Index y_stride) {
  for_strips(columns, [&]<int Width>(Index first) {
    Index i = 0;
    for (; i + 2 <= rows; i += 2) {
      add_row_sums<2, Width>(tile + i * stride, stride, length, v + first * length,
                             y + i * y_stride + first, y_stride);
    }
    for (; i < rows; ++i) {
      add_row_sums<1, Width>(tile + i * stride, stride, length, v + first * length,
                             y + i * y_stride + first, y_stride);
    }
  });
}

// y += Tᵀ v: y is transposed (columns × length); v is rows × columns, rows v_stride apart.
template <class Scalar>
void add_transposed_product(const Scalar* tile, Index stride, Index rows, Index length,
                            const double* v, Index v_stride, Index columns, double* y) {
  constexpr int lanes = simd::lanes<double>;
  for_strips(columns, [&]<int Width>(Index first) {
    Index j = 0;
    for (; j + 2 * lanes <= length; j += 2 * lanes) {
      add_column_sums<2, Width>(tile + j, stride, rows, length, v + first, v_stride,
                                y + first * length + j);
    }
    for (; j < length; j += lanes) {
      add_column_sums<1, Width>(tile + j, stride, rows, length, v + first, v_stride,
                                y + first * length + j);
    }
  });
}

}  // namespace stkr::tile
