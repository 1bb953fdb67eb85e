#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

// The exact nearest neighbor search on the device: the same places and the same distances, bit for
// bit, as NeighborIndex finds on the CPU for the same single-precision points.
//
// Tensor cores compute every inner product in half precision, once per unordered pair. A bound on
// the rounding (neighbor_bound.hpp) turns each into an interval that contains the distance. The
// points come in random order and in blocks of geometrically growing size; after each block the
// k-th smallest upper end among the points seen so far is a threshold that no neighbor exceeds, and
// whatever has its lower end below is kept. The few points that remain are compared by their
// distance in double precision, summed in the order of stkr::distance. A row with more points
// within the bound than its list holds is searched again, completely in double precision. Every row
// is thus proven; the result depends neither on the order of the points nor on timing.
namespace stkr::cuda {

// More neighbors than this are left to the CPU.
inline constexpr int kMostNeighbors = 64;

// As stkr::Neighbors: nearest first, ties broken by index.
struct NearestPoints {
  std::vector<std::int32_t> index;  // queries × k; -1 if there are fewer than k points
  std::vector<double> distance;     // queries × k, Euclidean; 0 where the index is -1
  std::int64_t searched_again = 0;  // queries that half precision could not decide
};

// As stkr::ReachedBy: for each query, in ascending order, the points whose own reach covers it.
struct ReachingPoints {
  std::vector<std::int64_t> row_start;
  std::vector<std::int32_t> index;
  std::vector<double> distance;  // at most the reach of the point
};

// Milliseconds on the device in the last call, without transfers.
struct NeighborTimes {
  float pack = 0;    // rounding to half precision; of points, once per set
  float scan = 0;    // inner products and thresholds
  float decide = 0;  // distances in double precision
  float again = 0;   // rows searched again in double precision
};

struct NeighborSettings {
  bool portable = false;  // the kernels for any card, even where faster ones would run
  bool exact = false;     // every row in double precision from the start
  bool timed = false;     // fills NeighborTimes, which makes the host wait for every stage
  // Called between the parts of a search, and may throw to end it.
  std::function<void()> between = {};
};

// What NeighborSearch and its largest call take of device memory, even if every row is searched
// again. `queries` = 0 means a search among the points themselves. `reaching` takes as much as
// `of`, or up to 3 GiB where pairs within reach are many.
std::uint64_t neighbor_search_bytes(std::int64_t points, std::int64_t features,
                                    std::int64_t queries, int k);

// ‖x - y‖ by the sum that the device takes: squares rounded, then added one by one in order. The
// results agree with those of the CPU only if stkr::distance does the same; compare before use.
double ordered_distance(const float* x, const float* y, std::ptrdiff_t features);

// Points in device memory, ready to be searched. Points are row-major, finite, and their squared
// norms do not overflow in single precision.
class NeighborSearch {
 public:
  // Uploads and packs. Throws MemoryError if device memory does not suffice.
  NeighborSearch(const float* points, std::int64_t count, std::int64_t features,
                 NeighborSettings settings = {});
  NeighborSearch(NeighborSearch&&) noexcept;
  NeighborSearch& operator=(NeighborSearch&&) noexcept;
  ~NeighborSearch();

  std::int64_t size() const;
  std::int64_t features() const;

  // The k nearest other points of every point, 1 ≤ k ≤ kMostNeighbors. Equal points count as
  // neighbors at distance 0. Throws ParameterError for another k, as `of` does.
  NearestPoints among_themselves(int k);

  // The k nearest points of each query.
  NearestPoints of(const float* queries, std::int64_t count, int k);

  // Every point y with ‖x - y‖ ≤ reach[y], for each query x. reach has one finite, nonnegative
  // entry per point.
  ReachingPoints reaching(const float* queries, std::int64_t count, std::span<const double> reach);

  const NeighborTimes& times() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stkr::cuda
