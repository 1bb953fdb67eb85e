#include "inference/tangent_split.hpp"

#include <algorithm>
#include <cmath>

namespace stkr {
namespace {

constexpr double kCurvatureTolerance = 1e-9;
constexpr double kRootTolerance = 1e-4;
constexpr double kLargestRootEta = 0.9995;
constexpr double kStraight = 1e-7;   // curvature below this share of s is rounding
constexpr double kRounding = 1e-12;  // of the slope

struct Range {
  double least = 0.0, largest = 0.0;
};

Range range_within(const std::function<double(double)>& h, const SpectrumBounds& bounds) {
  constexpr int kPoints = 1000;
  Range range;
  for (int k = 0; k <= kPoints; ++k) {
    const double value = h(bounds.lower + (bounds.upper - bounds.lower) * k / kPoints);
    range.least = std::min(range.least, value);
    range.largest = std::max(range.largest, value);
  }
  return range;
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
  const Range range = range_within(h, bounds);
  const double width = bounds.upper - bounds.lower;
  if (std::max(-range.least, range.largest) * width * width <=
      kStraight * std::abs(action.transform()(bounds.upper))) {
    result.root = {bounds.lower, bounds.upper, {0.0}};  // s = λ, up to rounding
    return result;
  }
  if (range.least < -1e-6 * range.largest) return std::nullopt;
  if (std::abs(result.slope) * width <= kRounding * std::abs(action.transform()(bounds.upper))) {
    result.slope = 0.0;
  }
  // Divided at δ: what is left of an error there is multiplied by kernel rows, which lack δ.
  result.root = chebyshev_quotient(
      [&h, delta](double lambda) { return (lambda - delta) * std::sqrt(std::max(h(lambda), 0.0)); },
      bounds, {.at = delta, .tolerance = kRootTolerance, .max_degree = 512});
  if (!result.root.converged) return std::nullopt;
  return result;
}

}  // namespace stkr
