#include <algorithm>
#include <limits>

#include "neighbor_device.hpp"

// Lists of candidates: thresholds from them, and the final decision in double precision. One warp
// per row.
namespace stkr::cuda::neighbor {
namespace {

constexpr int kWarp = 32, kWarpsPerBlock = 4;
constexpr int kSearchedBits = 20;  // of a threshold, after the first that matters

// Orders floats as unsigned numbers.
__device__ unsigned ordered(float value) {
  const unsigned bits = __float_as_uint(value);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ float unordered(unsigned bits) {
  return __uint_as_float(bits & 0x80000000u ? bits & 0x7FFFFFFFu : ~bits);
}

__device__ void search_again(const AgainRows& again, std::int64_t row) {
  again.rows[atomicAdd(again.count, 1)] =
      again.order ? again.order[row] : static_cast<std::int32_t>(row);
}

__global__ void start_lists_kernel(std::int64_t begin, std::int64_t end, const float* initial,
                                   float* floor, int* count, AgainRows again) {
  const std::int64_t row = begin + static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  floor[row] = initial[row];
  if (row >= end) return;
  count[row] = 0;
  if (floor[row] == INFINITY) search_again(again, row);
}

// The list is in registers, PerLane entries per lane. The k-th smallest upper bound is found bit by
// bit.
template <int PerLane>
__global__ void tighten_kernel(CandidateList list, std::int64_t begin, std::int64_t end, int k,
                               const float* sigma, const float* column_sigma, float* floor,
                               AgainRows again) {
  const std::int64_t row =
      begin + static_cast<std::int64_t>(blockIdx.x) * kWarpsPerBlock + threadIdx.y;
  if (row >= end) return;
  const int lane = threadIdx.x;
  const int offered = list.count[row];
  if (offered < k || floor[row] == INFINITY) return;  // nothing to compare yet, or given up
  if (offered > list.capacity) {
    if (lane == 0) {
      search_again(again, row);
      floor[row] = INFINITY;
      list.count[row] = 0;
    }
    return;
  }
  Candidate* const entries = list.entries + row * list.capacity;
  const float own = sigma[row];
  Candidate kept[PerLane];
  unsigned bound[PerLane];
#pragma unroll
  for (int i = 0; i < PerLane; ++i) {
    bound[i] = ~0u;
    if (i * kWarp >= offered) continue;
    const int at = i * kWarp + lane;
    if (at < offered) {
      kept[i] = entries[at];
      const float sum = __fadd_ru(own, column_sigma[kept[i].row]);
      bound[i] = ordered(__fadd_ru(-kept[i].value, sum));
    }
  }
  // All bounds share the digits above those in which the least and the largest differ. Digits far
  // below the first are left at one, the safe side.
  unsigned least = ~0u, largest = 0;
#pragma unroll
  for (int i = 0; i < PerLane; ++i) {
    if (i * kWarp + lane >= offered) continue;
    least = min(least, bound[i]);
    largest = max(largest, bound[i]);
  }
  least = __reduce_min_sync(~0u, least);
  largest = __reduce_max_sync(~0u, largest);
  const int first_bit = 31 - __clz(least ^ largest), last_bit = max(0, first_bit - kSearchedBits);
  unsigned kth = first_bit < 0 ? least : largest >> first_bit >> 1 << first_bit << 1;
  // Now the largest number with fewer than k bounds below, down to the last digit.
  for (int bit = first_bit; bit >= last_bit; --bit) {
    const unsigned trial = kth | 1u << bit;
    int below = 0;
#pragma unroll
    for (int i = 0; i < PerLane; ++i) {
      if (i * kWarp < offered) below += __popc(__ballot_sync(~0u, bound[i] < trial));
    }
    if (below < k) kth = trial;
  }
  if (first_bit >= 0) kth |= (1u << last_bit) - 1;
  // The factor covers the rounding of distances in double precision, which decide in the end.
  const float threshold = __fmul_ru(fmaxf(unordered(kth), 0.0f), 1.0f + 0x1p-20f);
  int count = 0;
#pragma unroll
  for (int i = 0; i < PerLane; ++i) {
    if (i * kWarp >= offered) continue;
    const bool keep = i * kWarp + lane < offered && kept[i].value >= -threshold;
    const unsigned lanes = __ballot_sync(~0u, keep);
    if (keep) entries[count + __popc(lanes & ((1u << lane) - 1))] = kept[i];
    count += __popc(lanes);
  }
  if (lane == 0) {
    list.count[row] = count;
    floor[row] = -threshold;
  }
}

// ‖x - y‖² in double precision, as stkr::distance sums it: squares rounded, added one by one.
__device__ double squared_distance(const float* x, const float* y, std::int64_t features,
                                   bool aligned) {
  double sum = 0.0;
  const auto add = [&](float a, float b) {
    const double difference = __dsub_rn(static_cast<double>(a), static_cast<double>(b));
    sum = __dadd_rn(sum, __dmul_rn(difference, difference));
  };
  std::int64_t f = 0;
  if (aligned) {  // 16 bytes at a time
    for (; f + 4 <= features; f += 4) {
      const float4 a = __ldg(reinterpret_cast<const float4*>(x + f));
      const float4 b = __ldg(reinterpret_cast<const float4*>(y + f));
      add(a.x, b.x);
      add(a.y, b.y);
      add(a.z, b.z);
      add(a.w, b.w);
    }
  }
  for (; f < features; ++f) add(x[f], y[f]);
  return sum;
}

__global__ void decide_kernel(CandidateList list, std::int64_t begin, std::int64_t end,
                              std::int64_t features, int k, const float* floor, PlainPoints left,
                              PlainPoints right, std::int32_t* index, double* distance) {
  extern __shared__ double shared[];
  double* const apart = shared + static_cast<std::size_t>(threadIdx.y) * list.capacity;
  auto* const number = reinterpret_cast<std::int32_t*>(shared + kWarpsPerBlock * list.capacity) +
                       threadIdx.y * list.capacity;
  const std::int64_t row =
      begin + static_cast<std::int64_t>(blockIdx.x) * kWarpsPerBlock + threadIdx.y;
  if (row >= end || floor[row] == INFINITY) return;  // the others are searched again
  const std::int64_t to = left.order ? left.order[row] : row;
  const int count = min(list.count[row], list.capacity);
  const float* const x = left.data + to * features;
  for (int c = threadIdx.x; c < count; c += kWarp) {
    const std::int32_t packed = list.entries[row * list.capacity + c].row;
    const std::int32_t j = right.order ? right.order[packed] : packed;
    number[c] = j;
    apart[c] =
        __dsqrt_rn(squared_distance(x, right.data + j * features, features, features % 4 == 0));
  }
  __syncwarp();
  // The rank of a candidate is its place: distances with their numbers are all different.
  for (int c = threadIdx.x; c < count; c += kWarp) {
    int rank = 0;
    for (int other = 0; other < count; ++other) {
      rank += apart[other] < apart[c] || (apart[other] == apart[c] && number[other] < number[c]);
    }
    if (rank < k) {
      index[to * k + rank] = number[c];
      distance[to * k + rank] = apart[c];
    }
  }
  for (int rank = count + threadIdx.x; rank < k; rank += kWarp) {
    index[to * k + rank] = -1;
    distance[to * k + rank] = 0.0;
  }
}

__global__ void pair_distances_kernel(Pair* pairs, std::uint64_t count, const float* queries,
                                      PlainPoints points, std::int64_t features,
                                      double* distances) {
  const std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Pair pair = pairs[i];
  if (points.order) pair.point = points.order[pair.point];
  distances[i] = __dsqrt_rn(squared_distance(queries + pair.query * features,
                                             points.data + pair.point * features, features,
                                             features % 4 == 0));
  pairs[i] = pair;
}

unsigned blocks_of(std::int64_t items, int size) {
  return static_cast<unsigned>((items + size - 1) / size);
}

}  // namespace

void start_lists(std::int64_t begin, std::int64_t end, const float* initial, float* floor,
                 int* count, AgainRows again) {
  if (begin >= end) return;
  start_lists_kernel<<<blocks_of(end - begin, kBlockRows), kBlockRows>>>(begin, end, initial, floor,
                                                                         count, again);
  check_launch("start_lists");
}

void tighten(CandidateList list, std::int64_t begin, std::int64_t end, int k, const float* sigma,
             const float* column_sigma, float* floor, AgainRows again) {
  if (begin >= end) return;
  const auto kernel = list.capacity <= 512 ? tighten_kernel<16> : tighten_kernel<32>;
  kernel<<<blocks_of(end - begin, kWarpsPerBlock), dim3(kWarp, kWarpsPerBlock)>>>(
      list, begin, end, k, sigma, column_sigma, floor, again);
  check_launch("tighten");
}

void decide(CandidateList list, std::int64_t begin, std::int64_t end, std::int64_t features, int k,
            const float* floor, PlainPoints left, PlainPoints right, std::int32_t* index,
            double* distance) {
  if (begin >= end) return;
  const int bytes = kWarpsPerBlock * list.capacity * static_cast<int>(sizeof(double) + 4);
  check(cudaFuncSetAttribute(decide_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "cudaFuncSetAttribute");
  decide_kernel<<<blocks_of(end - begin, kWarpsPerBlock), dim3(kWarp, kWarpsPerBlock), bytes>>>(
      list, begin, end, features, k, floor, left, right, index, distance);
  check_launch("decide");
}

void pair_distances(Pair* pairs, std::uint64_t count, const float* queries, PlainPoints points,
                    std::int64_t features, double* distances) {
  if (count == 0) return;
  pair_distances_kernel<<<blocks_of(static_cast<std::int64_t>(count), 128), 128>>>(
      pairs, count, queries, points, features, distances);
  check_launch("pair_distances");
}

}  // namespace stkr::cuda::neighbor
