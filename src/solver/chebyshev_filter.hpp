#pragma once

#include "stkr/linop/linear_operator.hpp"

namespace stkr {

// The polynomial T_m((λ - center)/half_width) for the interval [lower, cut]: at most 1 there, and
// the fastest-growing polynomial of degree m above it.
struct ChebyshevFilter {
  double lower = 0.0;
  double cut = 0.0;
  double top = 0.0;  // ≥ λ₁: the filter is scaled to 1 there to avoid overflow

  // acosh t(λ), 0 up to the cut: the filter of degree m grows as e^{m · rate}/2.
  double rate(double eigenvalue) const;

  // x ← p(A) x with this filter p. Cost: `degree` products, and two more blocks of the size of x.
  template <class Block>
  void apply(const BasicLinearOperator<Block>& op, int degree, BlockView<Block> x,
             int threads) const;
};

}  // namespace stkr
