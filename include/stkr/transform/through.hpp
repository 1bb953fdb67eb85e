#pragma once

#include <vector>

#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

struct TransformPair {
  double lambda;  // > 0
  double value;   // s(λ) ≥ 0
};

// s through given pairs and (0, 0), as in the proof of Theorem 1 (app:proof-claim-main), by a
// monotone cubic (Fritsch and Carlson 1980): s is non-decreasing and continuously differentiable,
// s(λ) ≤ Mλ, and continues linearly beyond the pairs and below 0. The proof adds steps that are
// smooth to all orders instead, and flat at every pair. Its second derivative jumps at the pairs,
// so that polynomials approximate s slowly: beyond a few thousand samples, see the error that a fit
// reports. It is user-defined (CallableTransform), and its name is its text, through(0.1:0.01,
// 1:1).
//
// Throws ParameterError unless all numbers are finite, λ > 0, s ≥ 0 is non-decreasing in λ with
// equal values for equal λ, and one is positive. In any order.
SpectralTransform transform_through(std::vector<TransformPair> pairs);

}  // namespace stkr
