#pragma once

#include <cstdint>

#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr {

struct SpectrumOptions {
  int max_steps = 120;
  double tolerance = 1e-8;    // on the extreme Ritz values, relative to the width of the spectrum
  bool only_largest = false;  // stop as soon as the upper end is found
};

// Both ends of the spectrum of a symmetric operator, by Lanczos with one random vector. The Ritz
// values lie inside the spectrum; `bounds` widens them by their residuals to contain the true ends
// (with probability almost 1).
struct SpectrumEstimate {
  double smallest = 0.0;  // Ritz value: λ_min ≤ smallest
  double largest = 0.0;   // Ritz value: largest ≤ λ₁
  SpectrumBounds bounds;
  int steps = 0;
  // Gauss quadrature of the spectral density (Golub and Welsch): the number of eigenvalues above λ
  // is about N · Σ weights[i] over nodes[i] ≥ λ.
  Vector nodes;    // ascending
  Vector weights;  // sum 1

  // An estimate of the k-th largest of N eigenvalues.
  double quantile(Index k, Index n) const;
};

// Cost: one product with one column per step; memory: three vectors.
template <class Block>
SpectrumEstimate estimate_spectrum(const BasicLinearOperator<Block>& op,
                                   const SpectrumOptions& options = {},
                                   const Context& context = {});

}  // namespace stkr
