#include "transform/reciprocal_quotient.hpp"

#include <algorithm>
#include <cmath>

#include "transform/divided_difference.hpp"

namespace stkr {

std::vector<double> shifted_quotient(const ReciprocalTransform& reciprocal, double delta) {
  const std::vector<double>& xi = reciprocal.coefficients;
  const auto r = static_cast<std::size_t>(reciprocal.r);
  std::vector<double> numerator(std::max(xi.size(), r + 1), 0.0);
  for (std::size_t p = 0; p < xi.size(); ++p) {
    numerator[p] = -std::pow(delta, reciprocal.r) * xi[p];
  }
  numerator[r] += reciprocal.rho(delta);
  std::vector<double> quotient = divided_difference(numerator, delta);
  for (double& coefficient : quotient) coefficient /= reciprocal.rho(delta);
  return quotient;
}

}  // namespace stkr
