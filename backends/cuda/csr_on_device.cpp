#include "csr_on_device.hpp"

#include <fmt/format.h>

#include <utility>

#include "block_algebra_kernels.hpp"
#include "csr_on_device_kernels.hpp"
#include "csr_on_device_segments.hpp"
#include "stkr/error.hpp"

namespace stkr::cuda {
namespace {

DeviceArray<double> to_device(const Vector& v) {
  return DeviceArray<double>(std::span(v.data(), static_cast<std::size_t>(v.size())));
}

DeviceArray<float> to_floats(const DeviceArray<double>& values) {
  DeviceArray<float> result(values.size());
  kernels::to_float(values.data(), static_cast<std::int64_t>(values.size()), result.data());
  return result;
}

// Rows are read 16 bytes at a time.
bool can_gather(ConstCudaView x) {
  return x.cols() <= 1 ||
         (x.stride() % 2 == 0 && reinterpret_cast<std::uintptr_t>(x.data()) % 16 == 0);
}

std::uint64_t segment_bytes(std::int64_t long_entries) {
  // 12 bytes per long row and 4 per segment, of which a long row has one or twice as many as full.
  const auto entries = static_cast<std::uint64_t>(long_entries);
  return entries / kernels::csr_long_row * 16 + entries / kernels::csr_segment * 8 + 8;
}

}  // namespace

CsrOnDevice::CsrOnDevice(const CsrMatrix& matrix, CsrValues keep)
    : CsrOnDevice(matrix.rows, matrix.cols, matrix.row_start, matrix.column, matrix.value, keep) {}

CsrOnDevice::CsrOnDevice(Index rows, Index columns, std::span<const std::int64_t> row_start,
                         std::span<const std::int32_t> column, std::span<const double> value,
                         CsrValues keep)
    : rows_(rows), columns_(columns) {
  if (static_cast<Index>(row_start.size()) != rows + 1 || column.size() != value.size()) {
    throw ShapeError(fmt::format(
        "CsrOnDevice: {} row starts, {} columns and {} values for {} rows; expected one more start "
        "than rows, and one value per column",
        row_start.size(), column.size(), value.size(), rows));
  }
  arrays_.row_start = DeviceArray<std::int64_t>(row_start);
  arrays_.column = DeviceArray<std::int32_t>(column);
  arrays_.value = DeviceArray<double>(value);
  if (keep != CsrValues::doubles) arrays_.single_value = to_floats(arrays_.value);
  if (keep == CsrValues::floats) arrays_.value = DeviceArray<double>();
  find_long_rows(row_start);
}

CsrOnDevice::CsrOnDevice(const CsrMatrix& pattern, const Vector& row_factor,
                         const Vector& column_factor)
    : rows_(pattern.rows), columns_(pattern.cols) {
  if (row_factor.size() != rows_ || column_factor.size() != columns_) {
    throw ShapeError(fmt::format("CsrOnDevice: {} row and {} column factors for a {} x {} matrix",
                                 row_factor.size(), column_factor.size(), rows_, columns_));
  }
  arrays_.row_start = DeviceArray<std::int64_t>(std::span(pattern.row_start));
  arrays_.column = DeviceArray<std::int32_t>(std::span(pattern.column));
  arrays_.row_factor = to_device(row_factor);
  arrays_.column_factor = to_device(column_factor);
  find_long_rows(pattern.row_start);
}

CsrOnDevice::CsrOnDevice(Index rows, Index columns, Arrays arrays)
    : rows_(rows), columns_(columns), arrays_(std::move(arrays)) {
  find_long_rows(arrays_.row_start.download());
}

void CsrOnDevice::find_long_rows(std::span<const std::int64_t> row_start) {
  const kernels::CsrSegments found(row_start);
  if (found.long_row.empty()) return;
  segments_ = static_cast<std::int64_t>(found.segment_row.size());
  split_rows_ = found.split_rows;
  split_segments_ = found.split_segments;
  long_row_ = DeviceArray<std::int32_t>(std::span(found.long_row));
  segment_row_ = DeviceArray<std::int32_t>(std::span(found.segment_row));
  first_segment_ = DeviceArray<std::int64_t>(std::span(found.first_segment));
}

kernels::CsrPointers CsrOnDevice::pointers() const {
  kernels::CsrPointers p;
  p.rows = rows_;
  p.row_start = arrays_.row_start.data();
  p.column = arrays_.column.data();
  p.value = arrays_.value.data();
  p.single_value = arrays_.single_value.data();
  p.row_factor = arrays_.row_factor.data();
  p.segments = segments_;
  p.split_rows = split_rows_;
  p.long_row = long_row_.data();
  p.segment_row = segment_row_.data();
  p.first_segment = first_segment_.data();
  return p;
}

void CsrOnDevice::check_shapes(ConstCudaView x, double b, ConstCudaView y) const {
  if (x.rows() != columns_ || y.rows() != rows_ || x.cols() != y.cols()) {
    throw ShapeError(fmt::format(
        "multiply: A is {} x {}, x is {} x {} and y is {} x {}; x needs one row per column of A, y "
        "one per row, and both the same number of columns",
        rows_, columns_, x.rows(), x.cols(), y.rows(), y.cols()));
  }
  if (b != 0.0 && rows_ != columns_) {
    throw ShapeError(fmt::format("multiply_step: A is {} x {}; expected square", rows_, columns_));
  }
}

void CsrOnDevice::multiply_step(double a, ConstCudaView x, double b, double c, CudaView y) const {
  check_shapes(x, b, y);
  DeviceArray<double> partial(static_cast<std::size_t>(split_segments_ * x.cols()));
  if (weighted() && can_gather(x)) {
    kernels::csr_step(pointers(), a, x, b, x, c, y, partial.data());
    return;
  }
  const Index stride = kernels::gather_stride<double>(x.cols());
  DeviceArray<double> copy(static_cast<std::size_t>(columns_ * stride));
  const CudaView z(copy.data(), columns_, x.cols(), stride);
  if (columns_ > 0 && x.cols() > 1 && x.cols() % 2 == 1) {
    check(cudaMemset2DAsync(z.data() + x.cols(), sizeof(double) * stride, 0, sizeof(double),
                            columns_),
          "cudaMemset2DAsync");
  }
  if (weighted()) {
    kernels::axpby(1.0, x, 0.0, z);
  } else {
    kernels::scale_rows(ConstCudaView(arrays_.column_factor.data(), columns_, 1, 1), x, z);
  }
  kernels::csr_step(pointers(), a, z, b, x, c, y, partial.data());
}

void CsrOnDevice::multiply_single(double a, ConstCudaView x, double b, double c, CudaView y) const {
  check_shapes(x, b, y);
  if (weighted() && arrays_.single_value.size() != arrays_.column.size()) {
    throw Error("multiply_single: the matrix was made without single-precision values");
  }
  DeviceArray<float> partial(static_cast<std::size_t>(split_segments_ * x.cols()));
  DeviceArray<float> z(
      static_cast<std::size_t>(columns_ * kernels::gather_stride<float>(x.cols())));
  kernels::to_float(arrays_.column_factor.data(), x, z.data());
  kernels::csr_step_single(pointers(), a, z.data(), b, x, c, y, partial.data());
}

std::uint64_t CsrOnDevice::device_bytes(Index rows, std::int64_t entries, std::int64_t long_entries,
                                        CsrValues keep) {
  // Float values are made from doubles, which are on the device for a moment.
  const int per_entry = 4 + (keep == CsrValues::doubles ? 8 : 12);
  return 8 * static_cast<std::uint64_t>(rows + 1) +
         per_entry * static_cast<std::uint64_t>(entries) + segment_bytes(long_entries);
}

std::uint64_t CsrOnDevice::unweighted_device_bytes(Index rows, std::int64_t entries,
                                                   std::int64_t long_entries) {
  return 24 * static_cast<std::uint64_t>(rows + 1) + 4 * static_cast<std::uint64_t>(entries) +
         segment_bytes(long_entries);
}

std::uint64_t CsrOnDevice::work_bytes(Index rows, Index columns, std::int64_t long_entries,
                                      bool weighted, bool single) {
  const std::uint64_t size = single ? sizeof(float) : sizeof(double);
  const std::int64_t stride =
      single ? kernels::gather_stride<float>(columns) : kernels::gather_stride<double>(columns);
  const std::int64_t copy = weighted && !single ? 0 : rows * stride;
  const std::int64_t segments = 2 * (long_entries / kernels::csr_segment);
  return size * static_cast<std::uint64_t>(copy + segments * columns);
}

CsrOperatorOnDevice::CsrOperatorOnDevice(const CsrOnDevice& matrix, double diagonal,
                                         Precision precision)
    : matrix_(matrix), diagonal_(diagonal), precision_(precision) {
  if (matrix.rows() != matrix.cols()) {
    throw ShapeError(fmt::format("CsrOperatorOnDevice: the matrix is {} x {}; expected square",
                                 matrix.rows(), matrix.cols()));
  }
}

void CsrOperatorOnDevice::apply(ConstCudaView x, CudaView y) const {
  apply_step(1.0, x, 0.0, 0.0, y);
}

void CsrOperatorOnDevice::apply_step(double a, ConstCudaView x, double b, double c,
                                     CudaView y) const {
  check_apply_shapes(*this, x, y, "CsrOperatorOnDevice::apply");
  const double own = b + a * diagonal_;
  if (precision_ == Precision::in_double) {
    matrix_.multiply_step(a, x, own, c, y);
  } else {
    matrix_.multiply_single(a, x, own, c, y);
  }
}

}  // namespace stkr::cuda
