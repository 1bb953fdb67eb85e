#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "packed_points.hpp"

// Products with kernel matrices of points that are never stored: Y = K(X, X) V and Y = K(A, B) V.
//
// Every sum has a fixed order, so repeated runs give the same bits on the same device.
namespace stkr::cuda {

// y = scale · K(X, X) v. v and y are row-major device arrays of points.count() rows with `columns`
// values each; rows start ldv and ldy values apart. They must not overlap.
void symmetric_product(const PackedPoints& points, const double* v, std::size_t ldv, int columns,
                       double* y, std::size_t ldy, double scale = 1.0);

// y = scale · K(A, B) v with A = `rows` and B = `columns_of_kernel`: v has one row per point of B,
// y one per point of A. One of the two must have been packed like the other (or be the other).
void cross_product(const PackedPoints& rows, const PackedPoints& columns_of_kernel, const double* v,
                   std::size_t ldv, int columns, double* y, std::size_t ldy, double scale = 1.0);

// The most device memory that a product takes beside points, v and y, whatever the number of
// columns: they are treated a few at a time. `rows` == `columns_of_kernel` for symmetric products.
std::uint64_t product_workspace_bytes(std::size_t rows, std::size_t columns_of_kernel,
                                      std::size_t features, const KernelFormula& formula,
                                      ProductPrecision precision);

}  // namespace stkr::cuda
