#include "kernel/custom_tile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "stkr/error.hpp"

namespace stkr {
namespace {

template <class Scalar>
void check_finite(const CustomKernel& kernel, const Scalar* row, Index length) {
  constexpr int lanes = simd::lanes<Scalar>;
  simd::Vec<Scalar, lanes> sum{};
  for (Index j = 0; j < length; j += lanes) {
    const auto value = simd::load<Scalar, lanes>(row + j);
    sum += value - value;  // 0, or NaN for infinities and NaN
  }
  for (int l = 0; l < lanes; ++l) {
    if (sum[l] == 0) continue;
    throw ValueError(
        fmt::format("kernel '{}': its value is not finite for some pair of points; it must be "
                    "finite for all points, so extend the function or rescale the features",
                    kernel.name));
  }
}

// The points in double: in place, or in `buffer`.
const double* in_double(const PointRows<double>& rows, std::vector<double>&) { return rows.data; }
const double* in_double(const PointRows<float>& rows, std::vector<double>& buffer) {
  buffer.assign(rows.data, rows.data + rows.count * rows.features);
  return buffer.data();
}

}  // namespace

template <class Scalar>
void map_custom_row(const CustomKernel& kernel, const RowMap& f, Scalar* row, Index count,
                    Index length) {
  // Padding repeats a value: f meets only values of pairs, and works on whole vectors.
  std::fill(row + count, row + length, row[0]);
  f(std::span<Scalar>(row, static_cast<std::size_t>(length)));
  check_finite(kernel, row, length);
}

// Sparse points are made dense one by one.
template <class Scalar>
void sparse_tile_of_points(const CustomKernel& kernel, const PointFunction& f, PointRows<Scalar> x,
                           const PackedPoints<Scalar>& y, Scalar* tile, Index stride) {
  std::vector<double> a(x.features, 0.0), b(x.features, 0.0);
  for (Index i = 0; i < x.count; ++i) {
    Scalar* row = tile + i * stride;
    scatter(x.sparse_row(i), a);
    for (Index j = 0; j < y.rows().count; ++j) {
      scatter(y.rows().sparse_row(j), b);
      row[j] = static_cast<Scalar>(f(a, b));
      clear(y.rows().sparse_row(j), b);
    }
    clear(x.sparse_row(i), a);
    std::fill(row + y.rows().count, row + y.padded_count(), Scalar(0));
    check_finite(kernel, row, y.padded_count());
  }
}

template <class Scalar>
void custom_tile_of_points(const CustomKernel& kernel, const PointFunction& f, PointRows<Scalar> x,
                           const PackedPoints<Scalar>& y, Scalar* tile, Index stride) {
  if (x.sparse) return sparse_tile_of_points(kernel, f, x, y, tile, stride);
  std::vector<double> x_buffer, y_buffer;
  const double* xs = in_double(x, x_buffer);
  const double* ys = in_double(y.rows(), y_buffer);
  const auto features = static_cast<std::size_t>(x.features);
  for (Index i = 0; i < x.count; ++i) {
    Scalar* row = tile + i * stride;
    for (Index j = 0; j < y.rows().count; ++j) {
      row[j] =
          static_cast<Scalar>(f({xs + i * x.features, features}, {ys + j * x.features, features}));
    }
    std::fill(row + y.rows().count, row + y.padded_count(), Scalar(0));
    check_finite(kernel, row, y.padded_count());
  }
}

template void map_custom_row(const CustomKernel&, const RowMap&, float*, Index, Index);
template void map_custom_row(const CustomKernel&, const RowMap&, double*, Index, Index);
template void custom_tile_of_points(const CustomKernel&, const PointFunction&, PointRows<float>,
                                    const PackedPoints<float>&, float*, Index);
template void custom_tile_of_points(const CustomKernel&, const PointFunction&, PointRows<double>,
                                    const PackedPoints<double>&, double*, Index);

}  // namespace stkr
