#pragma once

#include <cstddef>

#include "packed_points_storage.hpp"

// Kernel products on CUDA cores, for any device: L1 distances, step functions that must not be
// misplaced by rounding, and all kernels where tensor cores of compute capability 9.0 are missing.
// Also products with kernels that are inner products, as two thin matrix products.
namespace stkr::cuda {

// row_sums (strips × rows.rows × 16) = K(rows, columns) · vectors, rows of 16 for padded points,
// for plain32 and plain64. Strips divide the columns.
void plain_product(const PackedPoints& rows, const PackedPoints& columns, const double* vectors,
                   int strips, double* row_sums);

// row_sums (rows.rows × 16) = A (Bᵀ vectors) for features32 and features64; `parts` × features × 16
// values of workspace, and as many sums of features.
int feature_parts(std::size_t count);
void feature_product(const PackedPoints& rows, const PackedPoints& columns, const double* vectors,
                     double* workspace, double* row_sums);

}  // namespace stkr::cuda
