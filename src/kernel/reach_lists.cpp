#include "reach_lists.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stkr {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The largest single-precision number that is not above `value`.
float round_down(double value) {
  const auto nearest = static_cast<float>(value);
  return nearest > value ? std::nextafter(nearest, -kInfinity) : nearest;
}

}  // namespace

ReachLists::ReachLists(ScanPoints<float> queries, ScanPoints<float> points, const Vector& reach)
    : queries_(queries),
      points_(points),
      reach_(reach),
      thresholds_(points.count),
      floors_(queries.count),
      found_(queries.count) {
  // Four more terms amply cover the rounding of the half norms, of the reach, and of distances in
  // double precision; the underflow term covers products that underflow.
  const double terms = static_cast<double>(points.features) + 4.0;
  const double rounding = terms * 0x1p-24, underflow = terms * 0x1p-126;
  for (Index j = 0; j < points.count; ++j) {
    const double reached = (1.0 + rounding) * 0.5 * reach[j] * reach[j];
    // Inner products overflow to -infinity only for distances beyond this.
    const bool all = reached > std::numeric_limits<float>::max();
    thresholds_[j] =
        all ? -kInfinity : round_down((1.0 - rounding) * points.half_norms[j] - reached);
  }
  for (Index q = 0; q < queries.count; ++q) {
    floors_[q] = round_down((1.0 - rounding) * queries.half_norms[q] - underflow);
  }
}

void ReachLists::offer_row(Index q, const float* products, const float* thresholds, Index columns,
                           const std::int32_t* index, std::int32_t first) {
  constexpr Index kChunk = 64;
  const float floor = floors_[q];
  // p ≥ t + f implies p - t ≥ f even if the difference is rounded, because f is not. NaN, which
  // arises if products overflow, does not exclude a point: its distance decides.
  const auto out = [&](Index j) { return products[j] - thresholds[j] < floor; };
  for (Index begin = 0; begin < columns; begin += kChunk) {
    const Index end = std::min(columns, begin + kChunk);
    int some = 0;
    for (Index j = begin; j < end; ++j) some |= !out(j);
    if (!some) continue;
    for (Index j = begin; j < end; ++j) {
      if (out(j)) continue;
      const std::int32_t point = index ? index[j] : first + static_cast<std::int32_t>(j);
      const double apart = distance(queries_.row(q), points_.row(point), points_.features);
      if (apart <= reach_[point]) found_[q].emplace_back(point, apart);
    }
  }
}

}  // namespace stkr
