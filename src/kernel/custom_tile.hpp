#pragma once

#include "kernel/kernel_tile.hpp"
#include "stkr/kernel/kernel.hpp"

// Tiles of custom kernels. Functions throw ValueError if the kernel returns a value that is not
// finite. Instantiated for float and double.
namespace stkr {

// Maps the first `count` values of a tile row; the rest, up to `length`, is padding.
template <class Scalar>
void map_custom_row(const CustomKernel& kernel, const RowMap& f, Scalar* row, Index count,
                    Index length);

// evaluate_tile for a function of two points.
template <class Scalar>
void custom_tile_of_points(const CustomKernel& kernel, const PointFunction& f, PointRows<Scalar> x,
                           const PackedPoints<Scalar>& y, Scalar* tile, Index stride);

}  // namespace stkr
