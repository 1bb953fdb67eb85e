#pragma once

#include "neighbor_device.hpp"

// What happens to the values of a tile in the registers of a warp: they are compared with the
// floors of their rows and columns, and the few above enter lists.
namespace stkr::cuda::neighbor {

inline constexpr int kGroupValues = 16;                  // per lane, handled together
inline constexpr int kScratchStride = kGroupValues + 1;  // no bank conflicts

// Candidates of a warp on their way to lists. Every list has a counter in global memory, so the
// warp waits for it once per 32 candidates instead of once per tile.
class OfferQueue {
 public:
  struct Entry {
    std::int32_t to, candidate;
    float value;
  };
  // What a warp keeps in shared memory: values that its lanes share, and the queue.
  struct Storage {
    float values[32 * kScratchStride];
    Entry entries[64];
  };

  __device__ OfferQueue(const TileJob& job, Storage& storage) : job_(job), storage_(storage) {}

  __device__ float* values() { return storage_.values; }

  // Called by all lanes; those with `pass` append.
  __device__ void push(bool pass, std::int32_t to, std::int32_t candidate, float value) {
    const unsigned passing = __ballot_sync(~0u, pass);
    if (passing == 0) return;
    const int lane = threadIdx.x % 32;
    if (pass) {
      storage_.entries[size_ + __popc(passing & ((1u << lane) - 1))] = {to, candidate, value};
    }
    size_ += __popc(passing);
    __syncwarp();
    if (size_ < 32) return;
    deliver(32);
    size_ -= 32;
    const Entry rest = storage_.entries[32 + lane];
    __syncwarp();
    storage_.entries[lane] = rest;
    __syncwarp();
  }

  __device__ void finish() {
    __syncwarp();
    deliver(size_);
    size_ = 0;
  }

 private:
  __device__ void deliver(int count) {
    const int lane = threadIdx.x % 32;
    if (job_.pairs) {
      unsigned long long first = 0;
      if (lane == 0) first = atomicAdd(job_.pair_count, static_cast<unsigned long long>(count));
      const unsigned long long position = __shfl_sync(~0u, first, 0) + lane;
      if (lane < count && position < job_.pair_capacity) {
        // Offered by the column: a query and the point that reaches it.
        const Entry entry = storage_.entries[lane];
        job_.pairs[position] = {entry.candidate, entry.to};
      }
      return;
    }
    if (lane >= count) return;
    const Entry entry = storage_.entries[lane];
    const CandidateList& list = job_.list;
    const int position = atomicAdd(list.count + entry.to, 1);
    if (position < list.capacity) {
      list.entries[static_cast<std::int64_t>(entry.to) * list.capacity + position] = {
          entry.candidate, entry.value};
    }
  }

  const TileJob& job_;
  Storage& storage_;
  int size_ = 0;
};

// Writes all values of the tile to their places in the lists of the rows. A lane has pairs of
// adjacent columns: 16 bytes.
template <int Tiles>
__device__ inline void fill_lists(const TileJob& job, const float (&value)[Tiles * 4],
                                  std::int64_t row, std::int64_t column) {
  const int lane = threadIdx.x % 32;
  const auto columns = static_cast<std::int32_t>(column) + 2 * (lane % 4);
#pragma unroll 1
  for (int half = 0; half < 2; ++half) {
    const std::int64_t to = row + lane / 4 + 8 * half;
    Candidate* const entries = job.list.entries + to * job.list.capacity;
    auto* const out = reinterpret_cast<int4*>(entries + (columns - job.column_begin));
#pragma unroll
    for (int t = 0; t < Tiles; ++t) {
      const float first = half ? value[4 * t + 2] : value[4 * t];
      const float second = half ? value[4 * t + 3] : value[4 * t + 1];
      out[4 * t] = {columns + 8 * t, __float_as_int(first), columns + 8 * t + 1,
                    __float_as_int(second)};
    }
    // A point is no candidate of its own: below every floor.
    const std::int64_t own = to - column;
    if (job.same_set && own >= 0 && own < 8 * Tiles && own % 8 / 2 == lane % 4) {
      entries[to - job.column_begin].value = -INFINITY;
    }
    if (lane % 4 == 0 && column == job.column_begin) {
      job.list.count[to] = static_cast<int>(job.column_end - job.column_begin);
    }
  }
}

// The floors of the two rows that a lane has of 16 rows from `row` on.
template <bool Fill>
__device__ inline float2 lane_floors(const TileJob& job, std::int64_t row) {
  if (Fill || !job.row_floor) return {INFINITY, INFINITY};
  const std::int64_t first = row + threadIdx.x % 32 / 4;
  return {job.row_floor[first], job.row_floor[first + 8]};
}

// Negative if the value is below its floor. Signs are combined by bitwise operations: comparisons
// would form a chain of predicates, each waiting for the last.
__device__ inline int below(float value, float floor) { return __float_as_int(value - floor); }

// A warp holds 16 rows × 8 Tiles columns as the matrix instructions leave them: of 8 columns, lane
// l has rows l/4 and l/4 + 8 and columns 2(l%4) and 2(l%4) + 1. Almost no value passes, so the
// common path is one comparison per value with the lower of both floors. The rest is a loop that
// must not be unrolled: the instruction cache would overflow. `Fill` is job.fill; `row_floors` are
// lane_floors of these rows, `floors` those of the columns, null if columns receive no offers.
template <int Tiles, bool Fill>
__device__ inline void offer_tile(const TileJob& job, const float (&value)[Tiles * 4],
                                  std::int64_t row, std::int64_t column, float2 row_floors,
                                  const float* floors, OfferQueue& queue) {
  constexpr int kGroups = Tiles / 4;
  const int lane = threadIdx.x % 32;
  if constexpr (Fill) fill_lists<Tiles>(job, value, row, column);
  const float floor = fminf(row_floors.x, row_floors.y);
  const auto* columns = reinterpret_cast<const float2*>(floors) + lane % 4;
  unsigned passing = 0;
  if (floors) {
#pragma unroll
    for (int group = 0; group < kGroups; ++group) {
      int sign = -1;
#pragma unroll
      for (int t = 4 * group; t < 4 * group + 4; ++t) {
        const float2 both = columns[4 * t];
        const float first = fminf(both.x, floor), second = fminf(both.y, floor);
        sign &= below(value[4 * t], first) & below(value[4 * t + 1], second);
        sign &= below(value[4 * t + 2], first) & below(value[4 * t + 3], second);
      }
      passing |= static_cast<unsigned>(sign >= 0) << group;
    }
  } else if (!Fill) {
#pragma unroll
    for (int group = 0; group < kGroups; ++group) {
      int sign = -1;
#pragma unroll
      for (int i = 16 * group; i < 16 * group + 16; i += 2) {
        sign &= below(value[i], floor) & below(value[i + 1], floor);
      }
      passing |= static_cast<unsigned>(sign >= 0) << group;
    }
  }
  const unsigned any = __reduce_or_sync(~0u, passing);
  if (any == 0) return;
  float* const mine = queue.values() + lane * kScratchStride;
#pragma unroll 1
  for (int group = 0; group < kGroups; ++group) {
    if (!(any >> group & 1)) continue;
    unsigned left = 0;  // values that may pass
                        // Registers cannot be indexed, hence the copies for each group.
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      if (g != group || !(passing >> g & 1)) continue;
#pragma unroll
      for (int i = 0; i < kGroupValues; ++i) {
        const float v = value[kGroupValues * g + i];
        mine[i] = v;
        float lower = floor;
        if (floors) {
          const float2 both = columns[4 * (4 * g + i / 4)];
          lower = fminf(floor, i % 2 ? both.y : both.x);
        }
        left |= static_cast<unsigned>(below(v, lower) >= 0) << i;
      }
    }
    // Each lane offers one of its values per turn.
#pragma unroll 1
    while (__any_sync(~0u, left != 0)) {
      const int i = left ? __ffs(left) - 1 : 0;
      const bool real = left != 0;
      left &= left - 1;
      const float v = mine[i];
      const int c = 8 * (4 * group + i / 4) + 2 * (lane % 4) + i % 2;
      const auto to = static_cast<std::int32_t>(row) + lane / 4 + (i & 2 ? 8 : 0);
      const auto candidate = static_cast<std::int32_t>(column) + c;
      const bool valid = real && to < job.row_end && candidate < job.column_end &&
                         !(job.same_set && to == candidate);
      queue.push(valid && v >= (i & 2 ? row_floors.y : row_floors.x), to, candidate, v);
      if (floors) queue.push(valid && v >= floors[c], candidate, to, v);
    }
  }
}

}  // namespace stkr::cuda::neighbor
