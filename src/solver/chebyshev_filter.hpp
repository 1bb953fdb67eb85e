#pragma once

#include "stkr/linop/linear_operator.hpp"

namespace stkr {

// The polynomial T_m((λ - center)/half_width) of the interval [lower, cut]: at most 1 there, and
// of all polynomials of degree m the one that grows fastest above it.
struct ChebyshevFilter {
  double lower = 0.0;
  double cut = 0.0;
  double top = 0.0;  // ≥ λ₁: the filter is scaled to 1 there, so that nothing overflows

  // acosh t(λ), 0 up to the cut: the filter of degree m grows as e^{m · rate}/2.
  double rate(double eigenvalue) const;

  // x ← the filter of A. Cost: `degree` products; a second block beside x.
  void apply(const LinearOperator& op, int degree, MatrixRef x) const;
};

}  // namespace stkr
