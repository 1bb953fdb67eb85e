#pragma once

#include <span>

#include "stkr/estimator/stkr.hpp"

namespace stkr {

// What a fit solves, in the units of the gram: with sample weights w and label weights v
//   (N·Eᵀ s(S) E + nβ diag(w/v)) α = √w Y, f = N·S c/√w,
// and [Y, 1] instead of Y if there is a constant.
struct RidgeProblem {
  Matrix rhs;     // n × C, or C + 1
  Vector shifts;  // w/v; empty: 1 each
};

RidgeProblem ridge_problem(const GramOperator& gram, std::span<const Index> labeled,
                           ConstMatrixRef y, const StkrOptions& options);

// b = 1ᵀA⁻¹Y/1ᵀA⁻¹1, and X_Y - X_1 b for any block X = [X_Y, X_1] that is linear in the right-hand
// side. If 1ᵀA⁻¹1 is not positive (an indefinite system), no minimum exists: b = 0.
Vector free_constant(const RidgeProblem& problem, const Matrix& alpha);
Matrix without_constant(const Matrix& block, const Vector& b);

}  // namespace stkr
