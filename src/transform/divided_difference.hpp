#pragma once

#include <vector>

namespace stkr {

// P(λ) = Σ a_k λ^k; returns the coefficients of (P(λ) - P(δ))/(λ - δ), by Horner's scheme.
inline std::vector<double> divided_difference(const std::vector<double>& a, double delta) {
  if (a.size() < 2) return {0.0};
  std::vector<double> q(a.size() - 1);
  double carry = 0.0;
  for (std::size_t k = a.size() - 1; k >= 1; --k) q[k - 1] = carry = a[k] + delta * carry;
  return q;
}

// P(λ)
inline double polynomial_value(const std::vector<double>& a, double lambda) {
  double value = 0.0;
  for (std::size_t k = a.size(); k-- > 0;) value = a[k] + lambda * value;
  return value;
}

}  // namespace stkr
