#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "stkr/linop/shared_matrix.hpp"

namespace stkr {

class ReachLists;

struct NeighborOptions {
  Index k = 10;
  // The share of the true neighbors that is wanted. 1: all of them, by an exact search. Below 1:
  // only the cells around a point are searched, as many as a sample of points says it takes.
  double recall = 1.0;
  std::uint64_t seed = 1;  // of the sample and of the cells
  int threads = 0;         // 0: all cores
  std::stop_token cancel{};
};

// The k nearest points of each of `count` points, nearest first; of equally near ones the one with
// the smaller index first.
struct Neighbors {
  Index count = 0;
  Index k = 0;
  std::vector<std::int32_t> index;  // count × k; -1 where there are fewer than k
  std::vector<double> distance;     // count × k, Euclidean
};

// The points whose own reach covers each of several new points, in ascending order: those of new
// point i from row_start[i] to row_start[i + 1].
struct ReachedBy {
  std::vector<std::int64_t> row_start;
  std::vector<std::int32_t> index;
  std::vector<double> distance;  // Euclidean, at most the reach of the point
};

// Of new points, the nearest points and those that reach them. Many are in both.
struct Surroundings {
  Neighbors nearest;
  ReachedBy reached_by;
};

// How an approximate search is set up: the center of each cell, and how many cells a point looks
// into. Empty for the exact search.
struct NeighborCells {
  MatrixF centers;
  std::vector<std::int32_t> of;  // the cell of each distinct point
  Index probes = 0;
  double recall = 1.0;  // on the sample that decided `probes`
};

// What cells take at their peak, beside points and neighbors: centers and the sample that places
// them, or who looks into which cell.
std::uint64_t cell_search_bytes(Index points, Index features);

// Points, in single precision and without copies of equal ones, ready to be searched. Results are
// the same bits for any number of threads. The exact search is exact for the points as stored:
// inner products in single precision propose candidates, distances in double precision decide, and
// a row whose candidates cannot be proven complete is searched again in double precision.
class NeighborIndex {
 public:
  // Throws ValueError where a coordinate is not finite, or k or recall is out of range; ShapeError
  // without points or features; Cancelled. `who` starts the message.
  NeighborIndex(const SharedMatrix& points, const NeighborOptions& options, const char* who);

  // What was saved: the distinct points, which of them each point is, the shift and the cells.
  NeighborIndex(MatrixF distinct, std::vector<std::int32_t> distinct_of, Vector shift,
                NeighborCells cells, const NeighborOptions& options, const char* who);

  Index size() const { return static_cast<Index>(distinct_of_.size()); }
  Index features() const { return points_.cols(); }
  const NeighborOptions& options() const { return options_; }

  // The nearest others of every point. Equal points are one place: the first of them has the k
  // nearest other places, the others have the first one and the k - 1 nearest other places. So a
  // crowd of equal points stays connected to the rest.
  Neighbors among_themselves() const;

  // The nearest places of new points. Throws ShapeError or ValueError for points of another number
  // of features, or not finite.
  Neighbors of(ConstMatrixRef queries) const;

  // The same, and in the same pass every place whose own reach covers the new point: distance ≤
  // reach. reach[i] belongs to point i; of equal points that of the first counts. As exact as the
  // search; an approximate one looks into the same cells for both. Throws also ShapeError where
  // there is not one reach for each point, ValueError where one is negative or not finite.
  Surroundings of(ConstMatrixRef queries, const Vector& reach) const;

  // The place of each new point: which of the distinct points equals it once it is shifted and
  // rounded as they were, or -1. Exact for any recall. Throws as `of` does.
  std::vector<std::int32_t> place_of(ConstMatrixRef queries) const;

  // The points at a place, in ascending order; there is at least one.
  std::span<const std::int32_t> samples_at(Index place) const;

  Index distinct() const { return points_.rows(); }
  const MatrixF& distinct_points() const { return points_; }
  const std::vector<std::int32_t>& distinct_of() const { return distinct_of_; }
  const Vector& shift() const { return shift_; }
  const NeighborCells& cells() const { return cells_; }

 private:
  void check_options(const char* who) const;
  void finish(const char* who);
  MatrixF place_queries(ConstMatrixRef queries) const;
  std::int32_t first_at(Index place) const { return place_samples_[place_start_[place]]; }
  // Places, not points. `reached`: who reaches the queries is wanted too.
  Neighbors search(const MatrixF& queries, const std::vector<float>& half_norms, bool themselves,
                   ReachLists* reached) const;
  void name_samples(Neighbors& places) const;  // by the first point at each

  NeighborOptions options_;
  MatrixF points_;                         // distinct ones, shifted
  std::vector<float> half_norms_;          // ‖x‖²/2
  std::vector<std::int32_t> distinct_of_;  // which of them each point is
  // The points at place p: place_samples_ from place_start_[p] to place_start_[p + 1].
  std::vector<std::int32_t> place_start_;
  std::vector<std::int32_t> place_samples_;
  std::vector<std::int32_t> slots_;  // places by hash
  Vector shift_;                     // taken off every point: the origin lies among them
  NeighborCells cells_;
};

}  // namespace stkr
