#include "kernel/sparse_neighbors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernel/kernel_tile.hpp"
#include "kernel/sparse_points.hpp"
#include "runtime/parallel.hpp"

namespace stkr {
namespace {

constexpr Index kQueriesAtATime = 16;

std::vector<double> squared_norms_of(const CsrMatrix& points) {
  std::vector<double> norms(points.rows);
  for (Index i = 0; i < points.rows; ++i) norms[i] = squared_norm(sparse_point(points, i));
  return norms;
}

// Appends the points found for each query in order, freeing them one by one.
void join(std::vector<std::vector<std::pair<std::int32_t, double>>>& found, ReachedBy& reached) {
  reached.row_start.assign(1, 0);
  for (auto& row : found) {
    for (const auto& [point, distance] : row) {
      reached.index.push_back(point);
      reached.distance.push_back(distance);
    }
    reached.row_start.push_back(static_cast<std::int64_t>(reached.index.size()));
    row = {};
  }
}

}  // namespace

Neighbors sparse_neighbors(const CsrMatrix& queries, const CsrMatrix& points, Index k,
                           bool themselves, const Vector* reach, ReachedBy* reached, int threads,
                           const std::stop_token& cancel) {
  const std::vector<double> query_norms = squared_norms_of(queries);
  const std::vector<double> norms = squared_norms_of(points);
  const PointRows<double> asking{nullptr, queries.rows, queries.cols, query_norms.data(), &queries};
  PackedPoints<double> known;
  known.pack({nullptr, points.rows, points.cols, norms.data(), &points});
  Neighbors result{queries.rows, k, std::vector<std::int32_t>(queries.rows * k, -1),
                   std::vector<double>(queries.rows * k, 0.0)};
  std::vector<std::vector<std::pair<std::int32_t, double>>> covering(reached ? queries.rows : 0);
  parallel_chunks(queries.rows, kQueriesAtATime, threads, [&](Index begin, Index end) {
    throw_if_cancelled(cancel);
    std::vector<double> squares(known.padded_count());
    std::vector<std::pair<double, std::int32_t>> ranked;
    for (Index q = begin; q < end; ++q) {
      squared_distance_tile(asking.slice(q, 1), known, squares.data(), known.padded_count());
      ranked.clear();
      for (Index j = 0; j < points.rows; ++j) {
        if (themselves && j == q) continue;
        ranked.emplace_back(squares[j], static_cast<std::int32_t>(j));
      }
      const auto count = std::min<std::ptrdiff_t>(k, static_cast<std::ptrdiff_t>(ranked.size()));
      std::partial_sort(ranked.begin(), ranked.begin() + count, ranked.end());
      for (std::ptrdiff_t r = 0; r < count; ++r) {
        result.distance[q * k + r] = std::sqrt(ranked[r].first);
        result.index[q * k + r] = ranked[r].second;
      }
      if (!reached) continue;
      for (Index j = 0; j < points.rows; ++j) {
        const double distance = std::sqrt(squares[j]);
        if (distance <= (*reach)[j]) {
          covering[q].emplace_back(static_cast<std::int32_t>(j), distance);
        }
      }
    }
  });
  if (reached) join(covering, *reached);
  return result;
}

}  // namespace stkr
