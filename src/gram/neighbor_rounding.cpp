#include "neighbor_rounding.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stkr/error.hpp"

namespace stkr {
namespace {

// Of the distance to the last neighbor: below it, at most neighbors at nearly that distance change.
constexpr double kMostRounding = 0.25;

// Of the points. A few may lie far outside.
constexpr double kMostLost = 0.01;

// Points that differ by less than this, relative to their size, differ by the rounding of double
// precision, whoever computed them: they are meant to be equal.
constexpr double kEqual = 0x1p-40;

struct Lost {
  Index count = 0;
  Index row = -1;  // the first
  double rounding = 0.0;
  double distance = 0.0;
};

template <class Points>
Lost lost_points(const Points& points, const NeighborIndex& index, const Neighbors& neighbors) {
  Lost lost;
  const Index k = neighbors.k;
  for (Index i = 0; i < index.size(); ++i) {
    const Index place = index.distinct_of()[i];
    const Eigen::RowVectorXd x = points.row(i).template cast<double>() - index.shift().transpose();
    const double rounding =
        (x - index.distinct_points().row(place).template cast<double>()).stableNorm();
    if (rounding == 0.0) continue;
    // The first point at a place has its neighbors at other places; copies come before those.
    const Index first = index.samples_at(place).front();
    const auto copies = static_cast<Index>(index.samples_at(place).size()) - 1;
    double last = 0.0;
    if (copies < k) {
      for (Index r = 0; r < k - copies; ++r) {
        if (neighbors.index[first * k + r] >= 0) last = neighbors.distance[first * k + r];
      }
    } else {
      const double apart =
          (points.row(i).template cast<double>() - points.row(first).template cast<double>())
              .stableNorm();
      if (apart <= kEqual * x.stableNorm()) continue;  // equal in double precision too
    }
    if (rounding <= kMostRounding * last) continue;
    if (lost.count++ == 0) {
      lost.row = i;
      lost.rounding = rounding;
      lost.distance = last;
    }
  }
  return lost;
}

}  // namespace

void check_neighbor_rounding(const SharedMatrix& points, const NeighborIndex& index,
                             const Neighbors& neighbors, const char* who) {
  const Lost lost =
      points.visit([&](const auto& values) { return lost_points(values, index, neighbors); });
  if (static_cast<double>(lost.count) <= kMostLost * static_cast<double>(index.size())) return;
  throw ValueError(fmt::format(
      "{}: neighbors are searched in single precision, which moves {} of {} points further than a "
      "quarter of the distance to their neighbors (row {}: by {:.2g}, the neighbors being {:.2g} "
      "away); {}, or take a kernel that has double precision (rbf)",
      who, lost.count, index.size(), lost.row, lost.rounding, lost.distance,
      lost.rounding < 1e-30 ? "multiply the features by a constant, so that they are not that small"
                            : "take off what far away groups of points have in common, or drop the "
                              "features in which they differ by that much"));
}

}  // namespace stkr
