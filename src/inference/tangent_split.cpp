#include "inference/tangent_split.hpp"

#include <algorithm>
#include <cmath>

namespace stkr {
namespace {

constexpr double kCurvatureTolerance = 1e-9;
constexpr double kRootTolerance = 1e-3;
constexpr double kLargestRootEta = 0.9995;

bool nonnegative_within(const std::function<double(double)>& h, const SpectrumBounds& bounds) {
  constexpr int kPoints = 1000;
  double least = 0.0, largest = 0.0;
  for (int k = 0; k <= kPoints; ++k) {
    const double value = h(bounds.lower + (bounds.upper - bounds.lower) * k / kPoints);
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  return least >= -1e-6 * largest;
}

}  // namespace

std::optional<TangentSplit> tangent_split(const SpectralAction& action, double delta) {
  const SpectrumBounds& bounds = action.spectrum().bounds;
  if (action.truncation() || !std::isfinite(bounds.lower) || !std::isfinite(bounds.upper)) {
    return std::nullopt;
  }
  TangentSplit result;
  std::function<double(double)> h;
  if (const auto* poisson = std::get_if<PoissonTransform>(&action.transform().form())) {
    const double largest = action.spectrum().largest;
    const double at = 1.0 - poisson->eta / largest * delta;
    const double eta = std::min(poisson->eta, kLargestRootEta) / largest;
    result.value = delta / at;
    result.slope = 1.0 / (at * at);
    h = [eta, at](double lambda) { return eta / (at * at * (1.0 - eta * lambda)); };
  } else {
    const SpectralTransform& s = action.transform();
    const ChebyshevOptions options{.at = delta, .tolerance = kCurvatureTolerance};
    const ChebyshevSeries q = chebyshev_quotient([&s](double x) { return s(x); }, bounds, options);
    ChebyshevSeries second =
        chebyshev_quotient([&q](double x) { return q(x); }, {q.lower, q.upper}, options);
    if (!q.converged || !second.converged) return std::nullopt;
    result.value = s(delta);
    result.slope = q(delta);
    h = [second = std::move(second)](double lambda) { return second(lambda); };
  }
  if (!nonnegative_within(h, bounds)) return std::nullopt;
  result.root = chebyshev_quotient(
      [&h](double lambda) { return lambda * std::sqrt(std::max(h(lambda), 0.0)); }, bounds,
      {.tolerance = kRootTolerance, .max_degree = 512});
  if (!result.root.converged) return std::nullopt;
  return result;
}

}  // namespace stkr
