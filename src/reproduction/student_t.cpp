#include "reproduction/student_t.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stkr/error.hpp"

namespace stkr {
namespace {

// The continued fraction of I_x(a, b), NIST Digital Library of Mathematical Functions 8.17.22, from
// its tail: 1/(1 + d₁/(1 + d₂/(1 + ...))). It converges fast for x < (a + 1)/(a + b + 2).
double beta_fraction(double a, double b, double x) {
  double tail = 0.0;
  for (int m = 200; m >= 1; --m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    tail = even / (1.0 + odd / (1.0 + tail));
  }
  return 1.0 / (1.0 - (a + b) / (a + 1.0) * x / (1.0 + tail));
}

// I_x(a, b); `rest` is 1 - x, passed separately to keep its digits.
double incomplete_beta(double a, double b, double x, double rest) {
  if (x <= 0.0) return 0.0;
  if (rest <= 0.0) return 1.0;
  if (x > (a + 1.0) / (a + b + 2.0)) return 1.0 - incomplete_beta(b, a, rest, x);
  const double log_front =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(rest);
  return std::exp(log_front) / a * beta_fraction(a, b, x);
}

double outside(double t, double degrees) {  // P(|T| > t)
  const double sum = degrees + t * t;
  return incomplete_beta(0.5 * degrees, 0.5, degrees / sum, t * t / sum);
}

}  // namespace

double student_t_quantile(double probability, double degrees) {
  if (!(probability > 0.0 && probability < 1.0) || !(degrees > 0.0)) {
    throw ValueError(
        fmt::format("student_t_quantile: probability {} and {} degrees of freedom; "
                    "expected 0 < probability < 1 and more than 0 degrees",
                    probability, degrees));
  }
  double low = 0.0, high = 1.0;
  while (outside(high, degrees) > 1.0 - probability && high < 1e300) high *= 2.0;
  for (int step = 0; step < 100; ++step) {
    const double middle = 0.5 * (low + high);
    (outside(middle, degrees) > 1.0 - probability ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace stkr
