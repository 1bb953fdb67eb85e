#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stkr/error.hpp"
#include "transform/chebyshev_template.hpp"

namespace stkr {
namespace {

double clenshaw(const std::vector<double>& coefficients, double t) {
  double b1 = 0.0, b2 = 0.0;
  for (std::size_t k = coefficients.size(); k-- > 1;) {
    const double b0 = coefficients[k] + 2.0 * t * b1 - b2;
    b2 = b1;
    b1 = b0;
  }
  return coefficients.empty() ? 0.0 : coefficients[0] + t * b1 - b2;
}

// Coefficients of the polynomial that interpolates `values` at t_j = cos(π(j + ½)/n), the Chebyshev
// points of [-1, 1].
std::vector<double> interpolation_coefficients(const std::vector<double>& values) {
  const auto n = static_cast<int>(values.size());
  // cos(πk(2j+1)/2n) has period 4n in k(2j+1), so one table suffices.
  std::vector<double> cosine(4 * n);
  for (int i = 0; i < 4 * n; ++i) cosine[i] = std::cos(std::numbers::pi * i / (2.0 * n));
  std::vector<double> coefficients(n);
  for (int k = 0; k < n; ++k) {
    double sum = 0.0;
    for (int j = 0; j < n; ++j) {
      sum += values[j] * cosine[(static_cast<long>(k) * (2 * j + 1)) % (4 * n)];
    }
    coefficients[k] = (k == 0 ? 1.0 : 2.0) * sum / n;
  }
  return coefficients;
}

// The coefficients of P/x for P = Σ a_k T_k(t) with a zero at x = half·t + center = 0. Uses t T_k =
// (T_{k+1} + T_{|k-1|})/2 from the highest degree down. Stable because x = 0 lies inside the
// interval: the homogeneous solutions then have modulus 1.
std::vector<double> divide_by_x(const std::vector<double>& a, double center, double half) {
  const auto n = static_cast<int>(a.size()) - 1;  // degree
  if (n < 1) return {0.0};
  std::vector<double> g(n + 2, 0.0);
  for (int k = n; k >= 1; --k) {
    const double value = (2.0 / half) * (a[k] - center * g[k]) - g[k + 1];
    g[k - 1] = k == 1 ? 0.5 * value : value;
  }
  g.resize(n);
  return g;
}

}  // namespace

double ChebyshevSeries::operator()(double lambda) const {
  return clenshaw(coefficients, (2.0 * lambda - lower - upper) / (upper - lower));
}

ChebyshevSeries chebyshev_quotient(const std::function<double(double)>& s,
                                   const SpectrumBounds& interval,
                                   const ChebyshevOptions& options) {
  ChebyshevSeries series;
  series.lower = std::min({interval.lower, 0.0, options.at});
  series.upper = std::max({interval.upper, 0.0, options.at});
  if (!std::isfinite(series.lower) || !std::isfinite(series.upper)) {
    throw ValueError("Chebyshev approximation: the interval must have finite ends");
  }
  if (series.lower == series.upper) series.upper = 1.0;  // the zero operator: any g works
  const double center = 0.5 * (series.lower + series.upper);
  const double half = 0.5 * (series.upper - series.lower);
  const double at_value = s(options.at);

  // Below this, an error that no longer decreases is rounding: more terms only add noise, and each
  // costs a product.
  constexpr double kRounding = 1e-12;
  ChebyshevSeries previous;
  for (int points = 16;; points = std::min(2 * points, options.max_degree + 1)) {
    std::vector<double> values(points);
    double scale = 0.0;
    for (int j = 0; j < points; ++j) {
      const double lambda =
          center + half * std::cos(std::numbers::pi * (j + 0.5) / static_cast<double>(points));
      values[j] = s(lambda);
      if (!std::isfinite(values[j])) {
        throw ValueError(fmt::format(
            "Chebyshev approximation: s({:.6g}) = {}; expected s to be finite on [{:.4g}, {:.4g}]",
            lambda, values[j], series.lower, series.upper));
      }
      scale = std::max(scale, std::abs(values[j]));
    }
    std::vector<double> p = interpolation_coefficients(values);
    p[0] -= clenshaw(p, (options.at - center) / half);
    series.coefficients = divide_by_x(p, center - options.at, half);
    // Measured between the interpolation points, where it is largest, and close to 0.
    series.error = 0.0;
    const int checks = 16 * points + 1;
    for (int j = 0; j <= checks; ++j) {
      const double t = std::cos(std::numbers::pi * j / static_cast<double>(checks));
      const double lambda = center + half * t;
      series.error = std::max(
          series.error, std::abs((lambda - options.at) * series(lambda) + at_value - s(lambda)));
    }
    series.converged = series.error <= std::max(options.tolerance, 100.0 * kRounding) * scale;
    if (series.error <= options.tolerance * scale) return series;
    if (!previous.coefficients.empty() && previous.error <= kRounding * scale &&
        series.error > 0.5 * previous.error) {
      return previous.error < series.error ? previous : series;
    }
    if (points > options.max_degree) return series;
    previous = series;
  }
}

template void apply_chebyshev(const LinearOperator&, const ChebyshevSeries&, ConstMatrixRef,
                              MatrixRef, int);

}  // namespace stkr
