#pragma once

#include <cstdint>
#include <span>

#include "csr_on_device_kernels.hpp"
#include "cuda_block.hpp"
#include "stkr/linop/csr_matrix.hpp"
#include "stkr/linop/linear_operator.hpp"

namespace stkr::cuda {

// What a matrix keeps of its values: a product in double precision needs doubles or floats, one in
// single precision needs floats.
enum class CsrValues { doubles, floats, both };

// A sparse matrix in device memory: the product of linop/csr_product.hpp and variants of it. Entry
// counts have 64 bits, column numbers 32. One of two forms:
//   weighted: A_ij = value of the entry;
//   unweighted: A_ij = r_i c_j for every entry of a pattern, with one factor per row and column,
//   as D^-1/2 W D^-1/2 of a graph whose edges have equal weights. It takes a third of the memory.
// Sums are taken in an order that depends only on the pattern and the number of columns: results
// repeat bit for bit.
class CsrOnDevice {
 public:
  // Device arrays of a matrix that is on the device already. Either values or factors are empty.
  struct Arrays {
    DeviceArray<std::int64_t> row_start;  // rows + 1
    DeviceArray<std::int32_t> column;
    DeviceArray<double> value;
    DeviceArray<float> single_value;
    DeviceArray<double> row_factor, column_factor;
  };

  CsrOnDevice() = default;
  explicit CsrOnDevice(const CsrMatrix& matrix, CsrValues keep = CsrValues::doubles);
  CsrOnDevice(Index rows, Index columns, std::span<const std::int64_t> row_start,
              std::span<const std::int32_t> column, std::span<const double> value,
              CsrValues keep = CsrValues::doubles);
  // Unweighted: `value` of the matrix is ignored.
  CsrOnDevice(const CsrMatrix& pattern, const Vector& row_factor, const Vector& column_factor);
  CsrOnDevice(Index rows, Index columns, Arrays arrays);

  Index rows() const { return rows_; }
  Index cols() const { return columns_; }
  std::int64_t entries() const { return static_cast<std::int64_t>(arrays_.column.size()); }
  bool weighted() const { return arrays_.row_factor.size() == 0; }
  const Arrays& arrays() const { return arrays_; }

  // y = A x. x and y do not overlap.
  void multiply(ConstCudaView x, CudaView y) const { multiply_step(1.0, x, 0.0, 0.0, y); }

  // y ← a A x + b x + c y; with c = 0, y is not read. A is square unless b = 0.
  void multiply_step(double a, ConstCudaView x, double b, double c, CudaView y) const;

  // The same with A x in single precision, from a float copy of x (and, if the matrix is weighted,
  // of its values); the rest of the step is in double precision. The numbers in x must lie in the
  // range of floats: normalize a residual first.
  void multiply_single(double a, ConstCudaView x, double b, double c, CudaView y) const;

  // Upper bounds of the device memory of a matrix while it is made, and of what a product takes
  // besides. `long_entries` counts the entries of rows with more than kernels::csr_long_row of
  // them; the number of all entries is a bound.
  static std::uint64_t device_bytes(Index rows, std::int64_t entries, std::int64_t long_entries,
                                    CsrValues keep);
  static std::uint64_t unweighted_device_bytes(Index rows, std::int64_t entries,
                                               std::int64_t long_entries);
  static std::uint64_t work_bytes(Index rows, Index columns, std::int64_t long_entries,
                                  bool weighted, bool single);

 private:
  void find_long_rows(std::span<const std::int64_t> row_start);
  kernels::CsrPointers pointers() const;
  void check_shapes(ConstCudaView x, double b, ConstCudaView y) const;

  Index rows_ = 0, columns_ = 0;
  Arrays arrays_;
  // Of a CsrSegments.
  DeviceArray<std::int32_t> long_row_, segment_row_;
  DeviceArray<std::int64_t> first_segment_;
  std::int64_t segments_ = 0, split_rows_ = 0, split_segments_ = 0;
};

// The symmetric operator A + diagonal I on device blocks. The matrix must outlive it.
class CsrOperatorOnDevice : public BasicLinearOperator<CudaBlock> {
 public:
  enum class Precision { in_double, in_single };

  explicit CsrOperatorOnDevice(const CsrOnDevice& matrix, double diagonal = 0.0,
                               Precision precision = Precision::in_double);

  Index size() const override { return matrix_.rows(); }
  CudaBlock new_block(Index columns) const override { return {size(), columns}; }
  void apply(ConstCudaView x, CudaView y) const override;
  void apply_step(double a, ConstCudaView x, double b, double c, CudaView y) const override;

 private:
  const CsrOnDevice& matrix_;
  double diagonal_;
  Precision precision_;
};

}  // namespace stkr::cuda
