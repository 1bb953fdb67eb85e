#pragma once

#include <cstdint>

#include "cuda_block_view.hpp"

namespace stkr::cuda::kernels {

// A row with more entries than csr_long_row is added by warps of its own, one per segment, so that
// it does not delay the rows beside it.
constexpr int csr_long_row = 128, csr_segment = 512;

// The arrays of a CsrOnDevice. Values are null if it is unweighted, row factors if it is weighted.
struct CsrPointers {
  std::int64_t rows = 0;
  const std::int64_t* row_start = nullptr;
  const std::int32_t* column = nullptr;
  const double* value = nullptr;
  const float* single_value = nullptr;
  const double* row_factor = nullptr;
  std::int64_t segments = 0, split_rows = 0;  // rows of several segments are the first long rows
  const std::int32_t* long_row = nullptr;
  const std::int32_t* segment_row = nullptr;
  const std::int64_t* first_segment = nullptr;
};

// y ← a A z + b x + c y with z for the product: x itself, or x with column factors. `partial` has
// one row of C numbers per segment of a split row. Rows of z start at multiples of 16 bytes if
// there are several columns. With c = 0, y is not read, and with b = 0, x is not read.
void csr_step(const CsrPointers& matrix, double a, ConstCudaView z, double b, ConstCudaView x,
              double c, CudaView y, double* partial);

// The same with a float z, whose rows are gather_stride<float>(C) numbers apart, and sums in single
// precision; `partial` holds floats.
void csr_step_single(const CsrPointers& matrix, double a, const float* z, double b, ConstCudaView x,
                     double c, CudaView y, float* partial);

// Numbers from row to row of a copy of x that is made for a product. A gathered row then touches
// one line of 128 bytes if it fits: 10 columns without padding take longer than 16.
template <class T>
constexpr std::int64_t gather_stride(std::int64_t columns) {
  constexpr std::int64_t line = 128 / sizeof(T);
  if (columns <= 1) return columns;
  std::int64_t stride = 16 / sizeof(T);
  while (stride < columns && stride < line) stride *= 2;
  return columns <= line ? stride : (columns + line / 2 - 1) / (line / 2) * (line / 2);
}

// A float copy of diag(factor) x with that stride, padded with 0 to 16 bytes; no factor means 1.
void to_float(const double* factor, ConstCudaView x, float* z);

void to_float(const double* values, std::int64_t count, float* result);

}  // namespace stkr::cuda::kernels
