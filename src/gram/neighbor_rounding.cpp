#include "neighbor_rounding.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stkr/error.hpp"

namespace stkr {
namespace {

// As a fraction of the distance to the last neighbor. Below it, only neighbors at nearly that
// distance can change.
constexpr double kMostRounding = 0.25;

// As a fraction of the points. A few outliers are tolerated.
constexpr double kMostLost = 0.01;

// Points whose relative difference is below this differ only by double-precision rounding in their
// computation: they count as equal.
constexpr double kEqual = 0x1p-40;

struct Lost {
  Index count = 0;
  Index row = -1;  // the first one
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
    // The neighbors of the first point at a place are at other places; copies count before them.
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
      if (apart <= kEqual * x.stableNorm()) continue;  // also equal in double precision
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
      "{}: neighbors are searched in single precision, which moves {} of {} points by more than a "
      "quarter of the distance to their neighbors (row {}: by {:.2g}, with neighbors at a "
      "distance of {:.2g}); {}, or use a kernel that supports double precision (rbf)",
      who, lost.count, index.size(), lost.row, lost.rounding, lost.distance,
      lost.rounding < 1e-30 ? "multiply the features by a constant, so that they are not that small"
                            : "subtract the offsets of distant groups of points, or drop the "
                              "features in which they differ that much"));
}

}  // namespace stkr
