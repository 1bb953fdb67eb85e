#include "neighbor_rounding.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "runtime/parallel.hpp"
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

template <class Points>
LostPoints lost_points(const Points& points, const NeighborIndex& index,
                       const Neighbors& neighbors) {
  struct Lost {
    Index row;
    double rounding, last;
  };
  constexpr Index kGrain = 256;
  std::vector<std::vector<Lost>> parts(
      static_cast<std::size_t>((index.size() + kGrain - 1) / kGrain));
  const auto examine = [&](Index i) {
    const Index place = index.distinct_of()[i];
    const Eigen::RowVectorXd x = points.row(i).template cast<double>() - index.shift().transpose();
    const double rounding = storage_rounding(x, index.distinct_points().row(place).data());
    if (rounding == 0.0) return;
    // The neighbors of the first point at a place are at other places; copies count before them.
    const Index first = index.samples_at(place).front();
    const auto copies = static_cast<Index>(index.samples_at(place).size()) - 1;
    if (copies >= neighbors.k) {
      const double apart =
          (points.row(i).template cast<double>() - points.row(first).template cast<double>())
              .stableNorm();
      if (equal_before(apart, x.stableNorm())) return;
    }
    const double last = distance_of_last(neighbors, first, copies);
    if (exceeds_reach(rounding, last)) {
      parts[static_cast<std::size_t>(i / kGrain)].push_back({i, rounding, last});
    }
  };
  parallel_chunks(index.size(), kGrain, 0, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) examine(i);
  });
  LostPoints lost;
  for (const auto& part : parts) {
    for (const Lost& point : part) lost.add(point.row, point.rounding, point.last);
  }
  return lost;
}

}  // namespace

double storage_rounding(const Eigen::RowVectorXd& x, const float* stored) {
  return (x - Eigen::Map<const Eigen::RowVectorXf>(stored, x.size()).cast<double>()).stableNorm();
}

bool exceeds_reach(double rounding, double last) { return rounding > kMostRounding * last; }

double distance_of_last(const Neighbors& neighbors, Index i, Index copies) {
  double last = 0.0;
  for (Index r = 0; r < neighbors.k - copies; ++r) {
    if (neighbors.index[i * neighbors.k + r] >= 0) last = neighbors.distance[i * neighbors.k + r];
  }
  return last;
}

bool equal_before(double apart, double norm) { return apart <= kEqual * norm; }

void check_neighbor_rounding(const SharedMatrix& points, const NeighborIndex& index,
                             const Neighbors& neighbors, const char* who) {
  check_lost_points(
      points.visit([&](const auto& values) { return lost_points(values, index, neighbors); }),
      index.size(), who);
}

void check_lost_points(const LostPoints& lost, Index size, const char* who) {
  if (static_cast<double>(lost.count) <= kMostLost * static_cast<double>(size)) return;
  throw ValueError(fmt::format(
      "{}: neighbors are searched in single precision, which moves {} of {} points by more than a "
      "quarter of the distance to their neighbors (row {}: by {:.2g}, with neighbors at a "
      "distance of {:.2g}); {}, or use a kernel that supports double precision (rbf)",
      who, lost.count, size, lost.row, lost.rounding, lost.distance,
      lost.rounding < 1e-30 ? "multiply the features by a constant, so that they are not that small"
                            : "subtract the offsets of distant groups of points, or drop the "
                              "features in which they differ that much"));
}

}  // namespace stkr
