#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stkr/error.hpp"
#include "stkr/transform/spectral_transform.hpp"
#include "transform/transform_names.hpp"

namespace stkr {
namespace {

// Sorted, without copies.
std::vector<TransformPair> checked_pairs(std::vector<TransformPair> pairs) {
  for (const TransformPair& pair : pairs) {
    if (std::isfinite(pair.lambda) && pair.lambda > 0.0 && std::isfinite(pair.value) &&
        pair.value >= 0.0) {
      continue;
    }
    throw ParameterError(
        fmt::format("transform {}: the pair {}:{}; expected finite lambda > 0 and s(lambda) >= 0",
                    kThroughPairs, pair.lambda, pair.value));
  }
  std::sort(pairs.begin(), pairs.end(), [](const TransformPair& a, const TransformPair& b) {
    return a.lambda < b.lambda || (a.lambda == b.lambda && a.value < b.value);
  });
  for (std::size_t k = 1; k < pairs.size(); ++k) {
    const TransformPair &a = pairs[k - 1], &b = pairs[k];
    if (a.lambda == b.lambda ? a.value == b.value : a.value <= b.value) continue;
    throw ParameterError(
        fmt::format("transform {}: the pairs {}:{} and {}:{}; expected one s(lambda) for each "
                    "lambda, not less for a larger lambda (Theorem 1)",
                    kThroughPairs, a.lambda, a.value, b.lambda, b.value));
  }
  pairs.erase(std::unique(pairs.begin(), pairs.end(),
                          [](const TransformPair& a, const TransformPair& b) {
                            return a.lambda == b.lambda;
                          }),
              pairs.end());
  if (pairs.empty() || pairs.back().value == 0.0) {
    throw ParameterError(
        fmt::format("transform {}: no pair with s(lambda) > 0; expected one, as in {}(0.1:0.01, "
                    "1:1)",
                    kThroughPairs, kThroughPairs));
  }
  return pairs;
}

// The piece from one knot to the next: value + t (slope + t (second + t third)), t = λ - lambda.
struct Piece {
  double lambda, value, slope, second = 0.0, third = 0.0;

  double operator()(double at) const {
    const double t = at - lambda;
    return value + t * (slope + t * (second + t * third));
  }
};

// The slope at the first of three knots, kept from changing the direction.
double end_slope(double h, double h_next, double rise, double rise_next) {
  const double slope = ((2.0 * h + h_next) * rise - h * rise_next) / (h + h_next);
  return std::clamp(slope, 0.0, 3.0 * rise);
}

// Slopes at the knots for which cubic pieces are monotone: harmonic means inside (Fritsch and
// Butland 1984).
std::vector<double> monotone_slopes(const std::vector<TransformPair>& knots) {
  const std::size_t last = knots.size() - 1;
  std::vector<double> h(last), rise(last), slopes(last + 1);
  for (std::size_t k = 0; k < last; ++k) {
    h[k] = knots[k + 1].lambda - knots[k].lambda;
    rise[k] = (knots[k + 1].value - knots[k].value) / h[k];
  }
  if (last == 1) return {rise[0], rise[0]};
  for (std::size_t k = 1; k < last; ++k) {
    const double before = 2.0 * h[k] + h[k - 1], after = h[k] + 2.0 * h[k - 1];
    if (rise[k - 1] > 0.0 && rise[k] > 0.0) {
      slopes[k] = (before + after) / (before / rise[k - 1] + after / rise[k]);
    }
  }
  slopes[0] = end_slope(h[0], h[1], rise[0], rise[1]);
  slopes[last] = end_slope(h[last - 1], h[last - 2], rise[last - 1], rise[last - 2]);
  return slopes;
}

std::vector<Piece> pieces_through(std::vector<TransformPair> knots) {
  knots.insert(knots.begin(), {0.0, 0.0});
  const std::vector<double> slopes = monotone_slopes(knots);
  std::vector<Piece> pieces;
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    const double h = knots[k + 1].lambda - knots[k].lambda;
    const double rise = (knots[k + 1].value - knots[k].value) / h;
    pieces.push_back({knots[k].lambda, knots[k].value, slopes[k],
                      (3.0 * rise - 2.0 * slopes[k] - slopes[k + 1]) / h,
                      (slopes[k] + slopes[k + 1] - 2.0 * rise) / (h * h)});
  }
  pieces.push_back({knots.back().lambda, knots.back().value, slopes.back()});  // beyond
  return pieces;
}

}  // namespace

SpectralTransform transform_through(std::vector<TransformPair> pairs) {
  pairs = checked_pairs(std::move(pairs));
  std::string name = fmt::format("{}(", kThroughPairs);
  for (const TransformPair& pair : pairs) {
    name += fmt::format("{}{}:{}", &pair == pairs.data() ? "" : ", ", pair.lambda, pair.value);
  }
  const auto s = [pieces = pieces_through(std::move(pairs))](double lambda) {
    if (lambda <= 0.0) return pieces.front().slope * lambda;
    const auto after =
        std::upper_bound(pieces.begin(), pieces.end(), lambda,
                         [](double at, const Piece& piece) { return at < piece.lambda; });
    return (*std::prev(after))(lambda);
  };
  return SpectralTransform::callable(name + ")", s);
}

}  // namespace stkr
