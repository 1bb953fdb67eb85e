#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "stkr/solver/eigenpairs.hpp"
#include "stkr/theory/spectrum.hpp"

namespace stkr {
namespace {

// -1/slope, capped to [0, 1]; a slope of 0 or more is no decay.
double capped_exponent(double slope) { return slope < -1.0 ? -1.0 / slope : 1.0; }

}  // namespace

EigenvalueDecay decay_of(Vector values, double floor) {
  std::sort(values.begin(), values.end(), std::greater<>());
  EigenvalueDecay result;
  while (result.used < values.size() && values[result.used] > 0.0 &&
         values[result.used] > floor * values[0]) {
    ++result.used;
  }
  if (result.used < 3) {
    result.finding = fmt::format(
        "{} eigenvalues are above rounding, too few to see a decay; p = 1 holds for every kernel",
        result.used);
    return result;
  }
  const auto n = static_cast<double>(result.used);
  Vector x(result.used), y(result.used);
  for (Index i = 0; i < result.used; ++i) {
    x[i] = std::log(static_cast<double>(i + 1));
    y[i] = std::log(values[i]);
  }
  const double x_mean = x.mean(), y_mean = y.mean();
  const Vector dx = x.array() - x_mean, dy = y.array() - y_mean;
  const double slope = dx.dot(dy) / dx.squaredNorm();
  const double residual = (dy - slope * dx).squaredNorm();
  const double error = std::sqrt(residual / (n - 2.0) / dx.squaredNorm());
  result.determined = true;
  result.fitted = slope < 0.0 ? -1.0 / slope : std::numeric_limits<double>::infinity();
  result.capped = result.fitted > 1.0;
  result.p = capped_exponent(slope);
  result.lower = capped_exponent(slope - 1.96 * error);
  result.upper = capped_exponent(slope + 1.96 * error);
  result.constant = std::exp(y_mean - slope * x_mean);
  result.r_squared = dy.squaredNorm() > 0.0 ? 1.0 - residual / dy.squaredNorm() : 1.0;
  if (result.capped) {
    result.finding = fmt::format(
        "the eigenvalues decay more slowly than 1/i on these samples (fitted p = {:.3g}); Theorem "
        "2 uses p = 1, which holds for every kernel of finite trace",
        result.fitted);
  } else if (result.r_squared < 0.9) {
    result.finding = fmt::format(
        "a power law describes the eigenvalues poorly (R^2 = {:.2g}), so p depends on how many of "
        "them are used",
        result.r_squared);
  }
  return result;
}

EigenvalueDecay eigenvalue_decay(const GramOperator& gram, const SpectralTransform& transform,
                                 const EigenvalueDecayOptions& options, const Context& context) {
  Vector values;
  if (gram.size() <= options.exact_below) {
    values = spectral_density(gram, {.exact_below = gram.size()}, context).nodes.front();
  } else {
    values = top_eigenpairs(gram, std::min(options.leading, gram.size()), {}, context).values;
  }
  std::sort(values.begin(), values.end(), std::greater<>());
  const bool poisson = std::holds_alternative<PoissonTransform>(transform.form());
  const auto* truncation = std::get_if<TruncationTransform>(&transform.form());
  const double largest = values.size() > 0 ? values[0] : 0.0;
  for (Index i = 0; i < values.size(); ++i) {
    const bool cut = truncation && i >= truncation->dimension;
    // The Poisson transform takes λ in units of λ₁.
    const double lambda = poisson && largest > 0.0 ? values[i] / largest : values[i];
    values[i] = cut || std::abs(values[i]) <= 1e-14 * largest ? 0.0 : transform(lambda);
  }
  return decay_of(std::move(values), options.floor);
}

}  // namespace stkr
