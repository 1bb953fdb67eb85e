#include "transform/reciprocal_poles.hpp"

#include <cmath>

namespace stkr {
namespace {

bool pole_at(const ReciprocalTransform& reciprocal, double lambda) {
  constexpr double kRounding = 1e-12;
  double terms = 0.0, power = 1.0;  // Σ |ξ_p λ^p|
  for (const double xi : reciprocal.coefficients) {
    terms += std::abs(xi * power);
    power *= lambda;
  }
  return !(reciprocal.rho(lambda) > kRounding * terms);
}

// Ternary search for a minimum of ρ between two points.
double minimum_between(const ReciprocalTransform& reciprocal, double left, double right) {
  for (int step = 0; step < 100; ++step) {
    const double third = (right - left) / 3.0;
    if (reciprocal.rho(left + third) < reciprocal.rho(right - third)) {
      right -= third;
    } else {
      left += third;
    }
  }
  return 0.5 * (left + right);
}

}  // namespace

bool pole_free(const ReciprocalTransform& reciprocal, double lower, double upper) {
  constexpr int kSteps = 4096;
  const auto at = [&](int k) { return lower + (upper - lower) * k / kSteps; };
  const auto rho = [&](int k) { return reciprocal.rho(at(k)); };
  for (int k = 0; k <= kSteps; ++k) {
    if (pole_at(reciprocal, at(k))) return false;
    // A minimum between two steps may touch zero: refine it.
    const bool dips = k >= 2 && rho(k - 1) < rho(k - 2) && rho(k - 1) <= rho(k);
    if (dips && pole_at(reciprocal, minimum_between(reciprocal, at(k - 2), at(k)))) return false;
  }
  return true;
}

}  // namespace stkr
