#include <algorithm>

#include "neighbor_device.hpp"

// The search in double precision, for rows that half precision cannot decide: all distances of a
// row, then the smallest. Sums are those of stkr::distance: squares rounded, then added one by one.
namespace stkr::cuda::neighbor {
namespace {

constexpr int kTile = 64, kDepth = 16, kThreads = 256;

// 64 × 64 distances per block, 4 × 4 per thread.
__global__ void __launch_bounds__(kThreads)
    exact_distances_kernel(const float* queries, const std::int32_t* rows, std::int64_t count,
                           const float* points, std::int64_t point_count, std::int64_t features,
                           double* distances) {
  __shared__ double left[kDepth][kTile + 1], right[kDepth][kTile + 1];
  const std::int64_t first_query = static_cast<std::int64_t>(blockIdx.y) * kTile;
  const std::int64_t first_point = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  double sum[4][4] = {};
  for (std::int64_t f = 0; f < features; f += kDepth) {
    const std::int64_t depth = min(static_cast<std::int64_t>(kDepth), features - f);
#pragma unroll
    for (int i = 0; i < kTile / 16; ++i) {
      // 16 threads read 16 consecutive features of a row.
      const int line = ty + 16 * i;
      const std::int64_t q = first_query + line, p = first_point + line;
      const bool inside = tx < depth;
      const std::int64_t from = q < count ? (rows ? rows[q] : q) : 0;
      left[tx][line] =
          inside && q < count ? static_cast<double>(queries[from * features + f + tx]) : 0.0;
      right[tx][line] =
          inside && p < point_count ? static_cast<double>(points[p * features + f + tx]) : 0.0;
    }
    __syncthreads();
    // Beyond the features both are zero, and adding a zero changes nothing.
#pragma unroll 4
    for (int d = 0; d < kDepth; ++d) {
      double a[4], b[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a[i] = left[d][ty + 16 * i];
        b[i] = right[d][tx + 16 * i];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const double difference = __dsub_rn(a[i], b[j]);
          sum[i][j] = __dadd_rn(sum[i][j], __dmul_rn(difference, difference));
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const std::int64_t q = first_query + ty + 16 * i, p = first_point + tx + 16 * j;
      if (q < count && p < point_count) distances[q * point_count + p] = __dsqrt_rn(sum[i][j]);
    }
  }
}

constexpr int kMostKept = 64;  // as kMostNeighbors
constexpr int kBatch = 8;      // distances per thread between two looks at the list
constexpr int kPending = kBatch * kThreads;

// One block per row keeps the k smallest so far and compares a batch of distances with the largest
// of them. Distances come in the order of their numbers, so a tie with a larger number never
// enters.
__global__ void __launch_bounds__(kThreads)
    select_nearest_kernel(const double* distances, const std::int32_t* rows, std::int64_t first,
                          std::int64_t points, int k, bool themselves, std::int32_t* index,
                          double* distance) {
  __shared__ double value[kMostKept + kPending];
  __shared__ std::int32_t number[kMostKept + kPending];
  __shared__ double next_value[kMostKept];
  __shared__ std::int32_t next_number[kMostKept];
  __shared__ int pending;
  const std::int64_t row = blockIdx.x;
  const std::int64_t to = rows ? rows[row] : first + row;
  const double* const all = distances + row * points;
  int kept = 0;
  if (threadIdx.x == 0) pending = 0;
  __syncthreads();
  std::int64_t begin = 0;
  for (int batch = 1; begin < points; batch = kBatch) {  // a short first batch gives a threshold
    // `value` holds the kept ones in order, then the pending ones.
    const double worst = kept == k ? value[k - 1] : INFINITY;
    for (int i = 0; i < batch; ++i) {
      const std::int64_t j = begin + i * kThreads + threadIdx.x;
      if (j >= points || (themselves && j == to)) continue;
      const double apart = all[j];
      // An equal distance has a larger number than all that came in earlier batches.
      if (!(apart < worst)) continue;
      const int at = kept + atomicAdd(&pending, 1);
      value[at] = apart;
      number[at] = static_cast<std::int32_t>(j);
    }
    begin += static_cast<std::int64_t>(batch) * kThreads;
    __syncthreads();
    const int candidates = kept + pending;
    if (candidates > kept) {
      for (int c = threadIdx.x; c < candidates; c += kThreads) {
        int rank = 0;
        for (int other = 0; other < candidates && rank < k; ++other) {
          rank +=
              value[other] < value[c] || (value[other] == value[c] && number[other] < number[c]);
        }
        if (rank < k) {
          next_value[rank] = value[c];
          next_number[rank] = number[c];
        }
      }
      __syncthreads();
      kept = min(k, candidates);
      if (threadIdx.x < kept) {
        value[threadIdx.x] = next_value[threadIdx.x];
        number[threadIdx.x] = next_number[threadIdx.x];
      }
      if (threadIdx.x == 0) pending = 0;
    }
    __syncthreads();
  }
  for (int rank = threadIdx.x; rank < k; rank += kThreads) {
    index[to * k + rank] = rank < kept ? number[rank] : -1;
    distance[to * k + rank] = rank < kept ? value[rank] : 0.0;
  }
}

__global__ void append_reaching_kernel(const double* distances, const std::int32_t* rows,
                                       std::int64_t first, std::int64_t points, const double* reach,
                                       Pair* pairs, unsigned long long* pair_count,
                                       unsigned long long pair_capacity) {
  const std::int64_t j = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t row = blockIdx.y;
  if (j >= points || !(distances[row * points + j] <= reach[j])) return;
  const unsigned long long position = atomicAdd(pair_count, 1ull);
  if (position >= pair_capacity) return;
  pairs[position] = {rows ? rows[row] : static_cast<std::int32_t>(first + row),
                     static_cast<std::int32_t>(j)};
}

unsigned blocks_of(std::int64_t items, int size) {
  return static_cast<unsigned>((items + size - 1) / size);
}

}  // namespace

void exact_distances(const float* queries, const std::int32_t* rows, std::int64_t count,
                     const float* points, std::int64_t point_count, std::int64_t features,
                     double* distances) {
  if (count == 0) return;
  const dim3 grid(blocks_of(point_count, kTile), blocks_of(count, kTile));
  exact_distances_kernel<<<grid, kThreads>>>(queries, rows, count, points, point_count, features,
                                             distances);
  check_launch("exact_distances");
}

void select_nearest(const double* distances, const std::int32_t* rows, std::int64_t first,
                    std::int64_t count, std::int64_t points, int k, bool themselves,
                    std::int32_t* index, double* distance) {
  if (count == 0) return;
  select_nearest_kernel<<<static_cast<unsigned>(count), kThreads>>>(distances, rows, first, points,
                                                                    k, themselves, index, distance);
  check_launch("select_nearest");
}

void append_reaching(const double* distances, const std::int32_t* rows, std::int64_t first,
                     std::int64_t count, std::int64_t points, const double* reach, Pair* pairs,
                     unsigned long long* pair_count, unsigned long long pair_capacity) {
  if (count == 0) return;
  const dim3 grid(blocks_of(points, kThreads), static_cast<unsigned>(count));
  append_reaching_kernel<<<grid, kThreads>>>(distances, rows, first, points, reach, pairs,
                                             pair_count, pair_capacity);
  check_launch("append_reaching");
}

}  // namespace stkr::cuda::neighbor
