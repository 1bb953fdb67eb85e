#include "kernel/neighbor_decision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel/neighbor_scan.hpp"
#include "runtime/parallel.hpp"
#include "stkr/error.hpp"

namespace stkr {

template <class Points>
MatrixF place_points(const Points& points, const Vector& shift) {
  MatrixF result(points.rows(), points.cols());
  constexpr Index kGrain = 256;
  parallel_chunks(points.rows(), kGrain, 0, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      for (Index k = 0; k < points.cols(); ++k) {
        result(i, k) = static_cast<float>(static_cast<double>(points(i, k)) - shift[k]) + 0.0F;
      }
    }
  });
  return result;
}

template MatrixF place_points(const Matrix&, const Vector&);
template MatrixF place_points(const SharedMatrix::View<double>&, const Vector&);
template MatrixF place_points(const SharedMatrix::View<float>&, const Vector&);

std::vector<float> checked_half_norms(const MatrixF& points, const char* who, Index first) {
  std::vector<float> norms = half_norms_of(points);
  for (std::size_t i = 0; i < norms.size(); ++i) {
    if (std::isfinite(norms[i])) continue;
    throw ValueError(
        fmt::format("{}: the squared norm of the point in row {} overflows; rescale the features",
                    who, first + static_cast<Index>(i)));
  }
  return norms;
}

void check_neighbor_options(const NeighborOptions& options, Index size, const char* who) {
  if (options.k < 1 || options.k >= size) {
    throw ParameterError(fmt::format(
        "{}: k = {} neighbors of {} points; expected k from 1 to {} (a point is not its own "
        "neighbor; 5 to 20 is usual)",
        who, options.k, size, size - 1));
  }
  if (!(options.recall > 0.0 && options.recall <= 1.0)) {
    throw ParameterError(fmt::format(
        "{}: recall = {}; expected a fraction in (0, 1]; 1 searches exactly", who, options.recall));
  }
}

void keep_nearest(std::vector<RankedCandidate>& candidates, Index q, Neighbors& result) {
  std::sort(candidates.begin(), candidates.end());
  const auto count = std::min<Index>(result.k, static_cast<Index>(candidates.size()));
  for (Index r = 0; r < count; ++r) {
    result.distance[q * result.k + r] = candidates[r].first;
    result.index[q * result.k + r] = candidates[r].second;
  }
}

bool proven_complete(float worst, double norm, double last, Index features) {
  if (std::isinf(worst)) return true;                   // the list holds every point
  constexpr double kUnit = 0x1p-24, kLeast = 0x1p-126;  // products below kLeast underflow
  const double y = norm + last;
  const double terms = static_cast<double>(features) + 4.0;
  const double rounding =
      kUnit * (terms * norm * y + y * y + std::abs(static_cast<double>(worst))) + kLeast * terms;
  return worst - rounding > 0.5 * (last * last - norm * norm);
}

}  // namespace stkr
