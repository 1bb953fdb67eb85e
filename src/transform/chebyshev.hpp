#pragma once

#include <functional>
#include <vector>

#include "stkr/linop/linear_operator.hpp"

namespace stkr {

// g(λ) = Σ_k coefficients[k] T_k(t), t = λ mapped from [lower, upper] to [-1, 1].
struct ChebyshevSeries {
  double lower = -1.0;
  double upper = 1.0;
  std::vector<double> coefficients;
  double error = 0.0;     // measured sup-norm error of λ·g(λ) against s on [lower, upper]
  bool converged = true;  // the error meets the tolerance or is at rounding level

  double operator()(double lambda) const;
};

struct ChebyshevOptions {
  double at = 0.0;           // δ: the quotient is (s(λ) - s(δ))/(λ - δ)
  double tolerance = 1e-12;  // on the error relative to max|s|
  int max_degree = 2048;
};

// g(λ) = s(λ)/λ for any s with s(0) = 0: interpolates s at Chebyshev points, removes its value at 0
// and divides the polynomial by λ exactly, so that nothing is divided by a small λ. Doubles the
// degree until the measured error meets the tolerance or no longer decreases because of rounding;
// `error` is the result. With options.at = δ, does the same for λ - δ and s(δ). Widens the interval
// to contain 0 and δ. Throws ValueError if s is not finite on it.
ChebyshevSeries chebyshev_quotient(const std::function<double(double)>& s,
                                   const SpectrumBounds& interval,
                                   const ChebyshevOptions& options = {});

// y = g(A) x: one product per degree, two blocks besides x and y. The spectrum of A must lie in the
// series' interval. `threads` are those of the passes besides the products.
template <class Block>
void apply_chebyshev(const BasicLinearOperator<Block>& a, const ChebyshevSeries& g,
                     ConstBlockView<Block> x, BlockView<Block> y, int threads = 1);

}  // namespace stkr
