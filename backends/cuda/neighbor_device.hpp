#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "device_memory.hpp"

// The parts of the neighbor search, as launches on the default stream.
namespace stkr::cuda::neighbor {

// Points are packed in blocks of this many rows, the last one padded.
inline constexpr std::int64_t kBlockRows = 256;

inline std::int64_t padded(std::int64_t rows) {
  return (rows + kBlockRows - 1) / kBlockRows * kBlockRows;
}

// How the inner dimension is cut: `chunks` of `steps` × 16 numbers. The features are padded with
// zeros, and the last 8 numbers hold the pieces of half norms.
struct Inner {
  int steps = 0;
  int chunks = 0;

  __host__ __device__ int groups() const { return 2 * steps * chunks; }  // of 8 numbers
  __host__ __device__ int size() const { return 16 * steps * chunks; }
};
Inner inner_of(std::int64_t features);

// Points in half precision. `packed` is block × group × row × 8 numbers, so that 8 rows of a group
// are one core matrix of the tensor cores and a chunk of a block is contiguous. Its last group is
// the one for the right side of products; `left_group` (block × row × 8) replaces it on the left.
struct PackedPoints {
  std::int64_t rows = 0;
  Inner inner;
  DeviceArray<__half> packed;
  DeviceArray<__half> left_group;
  DeviceArray<float> sigma;  // per padded row; see neighbor_bound.hpp
  // The smallest value v that enters the list of a row, at first: minus infinity, or infinity for
  // padding and for rows that half precision cannot hold.
  DeviceArray<float> floor;
};

// What all packed sets of one search share: the scale and θ of neighbor_bound.hpp.
struct PackedScale {
  DeviceArray<int> exponent;
  DeviceArray<double> theta;
};

std::uint64_t packed_bytes(std::int64_t rows, std::int64_t features);

// The random order in which points are packed: row r of the packed points is point order[r].
DeviceArray<std::int32_t> random_order(std::int64_t count);

// Packs rows × features floats. order may be null. Computes the scale if `scale` is empty, else
// uses it.
PackedPoints pack(const float* points, const std::int32_t* order, std::int64_t rows,
                  std::int64_t features, PackedScale& scale);

// One candidate: the packed row and the value v.
struct Candidate {
  std::int32_t row;
  float value;
};

struct CandidateList {
  Candidate* entries = nullptr;  // rows × capacity
  int* count = nullptr;          // offers so far, also those beyond the capacity
  int capacity = 0;
};

// A pair of a query and a point.
struct Pair {
  std::int32_t query;
  std::int32_t point;
};

// Offers the value v of each pair of a rectangle of packed rows, or of a square on the diagonal
// with each unordered pair once.
struct TileJob {
  const __half* left = nullptr;  // packed rows
  const __half* left_group = nullptr;
  const __half* right = nullptr;  // packed columns
  Inner inner;
  std::int64_t row_begin = 0, row_end = 0;  // begins are multiples of kBlockRows
  std::int64_t column_begin = 0, column_end = 0;
  bool square = false;    // both ranges are the same
  bool same_set = false;  // equal numbers mean the same point: no candidate
  const float* row_floor = nullptr;
  const float* column_floor = nullptr;  // null: only rows receive offers
  CandidateList list;  // of rows and columns, which are the same set if columns receive offers
  // Every column enters the lists of the rows, which are empty, in its place. The columns are no
  // more than the capacity.
  bool fill = false;
  // If given, a pair above the floor of its column goes here; there is no floor of rows.
  Pair* pairs = nullptr;
  unsigned long long* pair_count = nullptr;
  unsigned long long pair_capacity = 0;
};

void offer_tiles(const TileJob& job, bool portable);
void offer_tiles_hopper(const TileJob& job, int processors);
void offer_tiles_portable(const TileJob& job);

// The rows that must be searched again, numbered as the plain points, and how many.
struct AgainRows {
  std::int32_t* rows = nullptr;
  int* count = nullptr;
  const std::int32_t* order = nullptr;  // null: packed rows have the same numbers
};

// Lowers the thresholds of rows [begin, end) to the k-th smallest upper bound in their lists, and
// keeps the candidates below it. Rows whose list overflowed go to `again`.
void tighten(CandidateList list, std::int64_t begin, std::int64_t end, int k, const float* sigma,
             const float* column_sigma, float* floor, AgainRows again);

// Row-major single-precision points, and how rows of the packed form are numbered (null: as here).
struct PlainPoints {
  const float* data = nullptr;
  const std::int32_t* order = nullptr;
};

// The k nearest of every list by distance in double precision, written to row order[r]. Rows whose
// floor is infinite are left out.
void decide(CandidateList list, std::int64_t begin, std::int64_t end, std::int64_t features, int k,
            const float* floor, PlainPoints left, PlainPoints right, std::int32_t* index,
            double* distance);

// Distances of `count` queries, those in `rows` or the first ones if it is null, to all points:
// count × points, at most 65,535 × 64 queries.
void exact_distances(const float* queries, const std::int32_t* rows, std::int64_t count,
                     const float* points, std::int64_t point_count, std::int64_t features,
                     double* distances);

// The k smallest of each row of `distances`, without the query itself if `themselves`, written to
// row rows[i] of the result, or to row first + i if `rows` is null.
void select_nearest(const double* distances, const std::int32_t* rows, std::int64_t first,
                    std::int64_t count, std::int64_t points, int k, bool themselves,
                    std::int32_t* index, double* distance);

// Distances of pairs; `order` numbers the points of pairs. Replaces pair.point by order[point].
void pair_distances(Pair* pairs, std::uint64_t count, const float* queries, PlainPoints points,
                    std::int64_t features, double* distances);

// Appends the pairs of exact distances, at most 65,535 rows, that are within reach.
void append_reaching(const double* distances, const std::int32_t* rows, std::int64_t first,
                     std::int64_t count, std::int64_t points, const double* reach, Pair* pairs,
                     unsigned long long* pair_count, unsigned long long pair_capacity);

// floor[r] = -(largest value of ‖x - y‖²/2, scaled, within reach[order[r]]), rounded to the safe
// side.
void reach_floors(const double* reach, const std::int32_t* order, std::int64_t rows,
                  const PackedScale& scale, float* floor);

// Empties the lists of rows [begin, end). Floors start at `initial` (both per padded row): minus
// infinity, or plus infinity for rows that half precision cannot hold; these go to `again`.
void start_lists(std::int64_t begin, std::int64_t end, const float* initial, float* floor,
                 int* count, AgainRows again);

}  // namespace stkr::cuda::neighbor
