#pragma once

#include "stkr/linop/feature_matrix.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// Throws ValueError with the row and column of the first coordinate that is not finite. `who`
// starts the message.
template <class Points>
void check_finite_points(const Points& points, const char* who);

// The mean of each feature if it is larger than the spread, else 0. Subtracting it from all points
// preserves their distances and prevents ‖x‖² + ‖y‖² - 2<x,y> from losing them in rounding. It is
// rounded to a multiple of a power of two near the spread: x - shift is then exact for coordinates
// on a grid (pixels, counts), and ties stay ties.
template <class Points>
Vector helpful_shift(const Points& points);

// The same in steps, for points of which several processes have some: the sum of each feature, then
// that of its squared distances to the mean. To have the bits of helpful_shift, each process adds
// its points to the sums of those before.
template <class Points>
void add_features(const Points& points, Vector& sum);
template <class Points>
void add_squares(const Points& points, const Vector& mean, Vector& square);
Vector shift_of(const Vector& mean, const Vector& square, Index count);

}  // namespace stkr
