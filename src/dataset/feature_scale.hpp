#pragma once

#include "stkr/matrix.hpp"

namespace stkr {

// The scale of each feature of dense points, in steps. To have the bits of one machine, processes
// that share the points add theirs one after the other.
void add_points(ConstMatrixRef points, Vector& sum);
void add_squared_deviations(ConstMatrixRef points, const Vector& mean, Vector& squares);
// The standard deviation of each feature of so many points; 1 for a constant one, which may deviate
// from its mean by rounding.
Vector feature_scale(const Vector& mean, const Vector& squares, Index points);

}  // namespace stkr
