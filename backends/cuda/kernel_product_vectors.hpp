#pragma once

#include <cstddef>
#include <cstdint>

#include "device_memory.hpp"

// The vectors of a kernel product: 16 columns at a time in the form that tiles need, and sums of
// tiles back to double.
namespace stkr::cuda {

// Columns first...first+columns-1 of a row-major device array with `rows` rows.
struct VectorBlock {
  const double* values;
  std::size_t leading_dimension;
  std::size_t rows;
  int first;
  int columns;
  const double* weights;  // of rows, or null
};

// Powers of two that bring each of 16 columns to a largest magnitude in [2^7, 2^8).
void scale_vectors(const VectorBlock& block, unsigned long long* largest, double* scales);
// Scaled halves at vector_index; `halves` is 2 for sums of two. All padded rows are written.
void pack_vectors(const VectorBlock& block, const double* scales, int halves, std::size_t padded,
                  std::uint16_t* packed);
// Weighted rows of 16 doubles; all padded rows are written.
void pack_vectors(const VectorBlock& block, std::size_t padded, double* packed);

// y = factor · weight · (sums over strips of rows and columns)/scale, for the columns of a block;
// arrays of sums have row_parts or column_parts times padded × 16 values. scales, column_sums and
// weights may be null.
template <class Sum>
struct SumBlock {
  const Sum* row_sums;
  const Sum* column_sums;
  int row_parts;
  int column_parts;
  std::size_t padded;
  const double* scales;
  const double* weights;
  double factor;
};
void store_sums(const SumBlock<float>& sums, std::size_t rows, int first, int columns, double* y,
                std::size_t ldy);
void store_sums(const SumBlock<double>& sums, std::size_t rows, int first, int columns, double* y,
                std::size_t ldy);

}  // namespace stkr::cuda
