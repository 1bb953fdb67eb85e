#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <variant>
#include <vector>

#include "stkr/linop/feature_matrix.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

class DeviceNeighbors;  // linop/device_backend

class ReachLists;

struct NeighborOptions {
  Index k = 10;
  // The requested fraction of the true neighbors. 1 searches exactly. Below 1, only the cells
  // around a point are searched; their number is estimated on a sample of points.
  double recall = 1.0;
};

// The k nearest points of each of `count` points, nearest first. Ties are broken by index.
struct Neighbors {
  Index count = 0;
  Index k = 0;
  std::vector<std::int32_t> index;  // count × k; -1 if there are fewer than k
  std::vector<double> distance;     // count × k, Euclidean
};

// For each new point, the points whose own reach covers it, in ascending order: those of new point
// i are entries row_start[i] to row_start[i + 1].
struct ReachedBy {
  std::vector<std::int64_t> row_start;
  std::vector<std::int32_t> index;
  std::vector<double> distance;  // Euclidean, at most the reach of the point
};

// The nearest points of new points, and the points that reach them. Many are in both.
struct Surroundings {
  Neighbors nearest;
  ReachedBy reached_by;
};

// The setup of an approximate search: the center of each cell, and the number of cells searched per
// point. Empty for the exact search.
struct NeighborCells {
  MatrixF centers;
  std::vector<std::int32_t> of;  // the cell of each distinct point
  Index probes = 0;
  double recall = 1.0;  // measured on the sample that determined `probes`
};

// The peak memory of cells, in addition to points and neighbors: the centers and the sample that
// places them, or the lists of cells per query.
std::uint64_t cell_search_bytes(Index points, Index features);

// Searchable points without duplicates, in single precision if they are dense. Results are
// bit-identical for any number of threads. The exact search is exact for the points as stored:
// inner products in single precision propose candidates, distances in double precision decide, and
// a row whose candidates cannot be proven complete is searched again in double precision. Sparse
// points stay sparse and in double precision, and are searched exactly for any recall.
class NeighborIndex {
 public:
  // Throws ValueError if a coordinate is not finite or if k or recall is out of range, ShapeError
  // without points or features, and Cancelled if requested. `who` starts the message.
  NeighborIndex(const FeatureMatrix& points, const NeighborOptions& options, const Context& context,
                const char* who);

  // Restores saved parts: the distinct points, the place of each point, the shift and the cells.
  NeighborIndex(std::variant<MatrixF, CsrMatrix> distinct, std::vector<std::int32_t> distinct_of,
                Vector shift, NeighborCells cells, const NeighborOptions& options,
                const Context& context, const char* who);

  Index size() const { return static_cast<Index>(distinct_of_.size()); }
  Index features() const { return sparse() ? sparse_.cols : points_.cols(); }
  const NeighborOptions& options() const { return options_; }

  // The nearest other points of every point. Equal points share one place: the first of them has
  // the k nearest other places as neighbors, the others have the first one and the k - 1 nearest
  // other places. Many equal points thus stay connected to the rest.
  Neighbors among_themselves(const ProgressSink& progress = {}) const;

  // The nearest places of new points. Throws ShapeError for a different number of features,
  // ValueError for points that are not finite.
  Neighbors of(const FeatureMatrix& queries) const;

  // The same and, in the same pass, every place whose own reach covers the new point: distance ≤
  // reach. reach[i] belongs to point i; for equal points, that of the first counts. As exact as the
  // search; an approximate one searches the same cells for both. Also throws ShapeError unless
  // every point has one reach, ValueError if a reach is negative or not finite.
  Surroundings of(const FeatureMatrix& queries, const Vector& reach) const;

  // The place of each new point: the distinct point equal to it after the same shift and rounding,
  // or -1. Exact for any recall. Throws as `of` does.
  std::vector<std::int32_t> place_of(const FeatureMatrix& queries) const;

  // The points at a place, in ascending order; at least one.
  std::span<const std::int32_t> samples_at(Index place) const;

  // The points at distinct places: `sparse_points` if they are sparse, else `distinct_points`.
  bool sparse() const { return sparse_.cols > 0; }
  Index distinct() const { return sparse() ? sparse_.rows : points_.rows(); }
  const MatrixF& distinct_points() const { return points_; }
  const CsrMatrix& sparse_points() const { return sparse_; }
  const std::vector<std::int32_t>& distinct_of() const { return distinct_of_; }
  const Vector& shift() const { return shift_; }
  const NeighborCells& cells() const { return cells_; }

 private:
  void check_options(const char* who) const;
  void finish(const char* who);
  void check_queries(const FeatureMatrix& queries) const;
  MatrixF place_queries(const FeatureMatrix& queries) const;
  CsrMatrix sparse_queries(const FeatureMatrix& queries) const;
  std::int32_t first_at(Index place) const { return place_samples_[place_start_[place]]; }
  // Returns places, not points. `reached`, if given, receives the places that reach each query.
  Neighbors search(const MatrixF& queries, const std::vector<float>& half_norms, bool themselves,
                   ReachLists* reached, const ProgressSink& progress = {}) const;
  void name_samples(Neighbors& places) const;  // replaces each place by its first point

  NeighborOptions options_;
  int threads_;
  std::stop_token cancel_;
  MatrixF points_;                         // distinct and shifted, or empty
  CsrMatrix sparse_;                       // distinct, or empty
  std::vector<float> half_norms_;          // ‖x‖²/2
  std::vector<std::int32_t> distinct_of_;  // the place of each point
  // The points at place p are entries place_start_[p] to place_start_[p + 1] of place_samples_.
  std::vector<std::int32_t> place_start_;
  std::vector<std::int32_t> place_samples_;
  std::vector<std::int32_t> slots_;  // hash table of places
  Vector shift_;  // subtracted from every dense point, so that the origin lies among them
  NeighborCells cells_;
  std::shared_ptr<const DeviceNeighbors> on_device_;  // null: the CPU
};

}  // namespace stkr
