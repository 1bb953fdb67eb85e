#include <algorithm>
#include <cstddef>

#include "neighbor_bound.hpp"
#include "neighbor_device.hpp"

// Rounds points to half precision in the layout of the tensor cores, and measures the rounding.
namespace stkr::cuda::neighbor {
namespace {

constexpr int kWarp = 32;
constexpr int kWarpsPerBlock = 8;

__device__ double warp_sum(double value) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(~0u, value, offset);
  }
  return value;
}

// A bijection of [0, count): a Feistel network on the next even power of two, followed until it
// ends inside.
__global__ void random_order_kernel(std::int32_t* order, std::uint32_t count, int half_bits) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const std::uint32_t mask = (1u << half_bits) - 1;
  std::uint32_t value = i;
  do {
    std::uint32_t left = value >> half_bits, right = value & mask;
    for (std::uint32_t round = 0; round < 6; ++round) {
      std::uint32_t mixed = right * 0x9E3779B1u + (round + 1) * 0x85EBCA77u;
      mixed ^= mixed >> 15;
      mixed *= 0x2C1B3C6Du;
      mixed ^= mixed >> 13;
      const std::uint32_t next = left ^ (mixed & mask);
      left = right;
      right = next;
    }
    value = left << half_bits | right;
  } while (value >= count);
  order[i] = static_cast<std::int32_t>(value);
}

// Nonnegative doubles are ordered as their bits.
__global__ void largest_half_norm(const float* points, std::int64_t rows, std::int64_t features,
                                  unsigned long long* largest) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarpsPerBlock + threadIdx.y;
  if (row >= rows) return;
  double sum = 0.0;
  for (std::int64_t f = threadIdx.x; f < features; f += kWarp) {
    const double value = points[row * features + f];
    sum += value * value;
  }
  sum = 0.5 * warp_sum(sum);
  if (threadIdx.x == 0) {
    atomicMax(largest, static_cast<unsigned long long>(__double_as_longlong(sum)));
  }
}

__global__ void set_exponent(const unsigned long long* largest, int* exponent) {
  *exponent = scale_exponent(__longlong_as_double(static_cast<long long>(*largest)));
}

// One warp per row. A lane rounds 8 numbers and writes them as 16 bytes. Padding is zero.
__global__ void round_points(const float* points, const std::int32_t* order, std::int64_t rows,
                             std::int64_t features, int groups, const int* exponent, __half* packed,
                             double* half_norm, double* residual) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarpsPerBlock + threadIdx.y;
  const double scale = scalbn(1.0, *exponent);
  const float* point = row < rows ? points + (order ? order[row] : row) * features : nullptr;
  uint4* block =
      reinterpret_cast<uint4*>(packed) + row / kBlockRows * groups * kBlockRows + row % kBlockRows;
  double norm = 0.0, rounded_norm = 0.0, lost = 0.0;
  for (int group = threadIdx.x; group < groups - 1; group += kWarp) {
    union {
      __half halves[8];
      uint4 all;
    } out;
    for (int i = 0; i < 8; ++i) {
      const std::int64_t f = 8ll * group + i;
      const double value = point && f < features ? scale * static_cast<double>(point[f]) : 0.0;
      // Beyond the range: the row is searched again, and must not produce infinities.
      const auto near = static_cast<float>(fmin(fmax(value, -65504.0), 65504.0));
      out.halves[i] = __float2half_rn(near);
      const double rounded = __half2float(out.halves[i]);
      norm += value * value;
      rounded_norm += rounded * rounded;
      lost += (value - rounded) * (value - rounded);
    }
    block[group * kBlockRows] = out.all;
  }
  norm = warp_sum(norm);
  rounded_norm = warp_sum(rounded_norm);
  lost = warp_sum(lost);
  if (threadIdx.x == 0) {
    half_norm[row] = 0.5 * norm;
    residual[2 * row] = lost;
    residual[2 * row + 1] = fmax(norm, rounded_norm);  // u²
  }
}

// θ = (Σ r² / Σ u²)^½ over all rows, in a fixed order.
__global__ void choose_theta(const double* residual, std::int64_t rows, double* theta) {
  __shared__ double lost[1024], norm[1024];
  double r2 = 0.0, u2 = 0.0;
  for (std::int64_t row = threadIdx.x; row < rows; row += 1024) {
    r2 += residual[2 * row];
    u2 += residual[2 * row + 1];
  }
  lost[threadIdx.x] = r2;
  norm[threadIdx.x] = u2;
  __syncthreads();
  for (int half = 512; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      lost[threadIdx.x] += lost[threadIdx.x + half];
      norm[threadIdx.x] += norm[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    const double ratio = norm[0] > 0.0 ? sqrt(lost[0] / norm[0]) : 0.0;
    *theta = fmin(fmax(ratio, 0x1p-24), 1.0);
  }
}

// Appends the pieces of a: on the left next to the weights of the right side, and conversely.
__global__ void append_half_norms(const double* half_norm, const double* residual,
                                  std::int64_t rows, int groups, int inner, const double* theta,
                                  __half* packed, __half* left_group, float* sigma, float* floor) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const bool fits = row < rows && half_norm[row] <= kMostHalfNorm;
  Bound bound{{__float2half_rn(65504.0f), __half(), __half()}, 0.0f};  // far from everything
  if (fits) {
    bound = bound_of(half_norm[row], residual[2 * row], residual[2 * row + 1], *theta, inner);
  }
  union {
    __half halves[8];
    uint4 all;
  } left, right;
  for (int i = 0; i < 3; ++i) {
    const __half weight = __float2half_rn(-piece_weight(i));
    left.halves[i] = right.halves[3 + i] = bound.piece[i];
    left.halves[3 + i] = right.halves[i] = weight;
  }
  left.halves[6] = left.halves[7] = right.halves[6] = right.halves[7] = __float2half_rn(0.0f);
  const std::int64_t block = row / kBlockRows;
  reinterpret_cast<uint4*>(left_group)[row] = left.all;
  reinterpret_cast<uint4*>(packed)[((block + 1) * groups - 1) * kBlockRows + row % kBlockRows] =
      right.all;
  sigma[row] = bound.sigma;
  floor[row] = fits ? -INFINITY : INFINITY;
}

__global__ void reach_floors_kernel(const double* reach, const std::int32_t* order,
                                    std::int64_t rows, const int* exponent, float* floor) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) {
    floor[row] = INFINITY;
    return;
  }
  const double scaled = scalbn(reach[order ? order[row] : row], *exponent);
  // The factor covers the rounding of distances in double precision.
  floor[row] = -round_up(0.5 * scaled * scaled * (1.0 + 0x1p-20));
}

unsigned int blocks_of(std::int64_t threads, int size) {
  return static_cast<unsigned int>((threads + size - 1) / size);
}

}  // namespace

Inner inner_of(std::int64_t features) {
  const auto needed = static_cast<int>(((features + 7) / 8 + 2) / 2);  // steps of 16, with norms
  // Waiting for a chunk costs about half a step: a little padding is cheaper than many chunks.
  const auto cost = [](Inner inner) { return inner.chunks * (2 * inner.steps + 1); };
  Inner best{5, (needed + 4) / 5};
  for (int steps = 4; steps >= 1; --steps) {
    const Inner inner{steps, (needed + steps - 1) / steps};
    if (cost(inner) < cost(best)) best = inner;
  }
  return best;
}

std::uint64_t packed_bytes(std::int64_t rows, std::int64_t features) {
  const std::uint64_t all = padded(rows);
  // Values, the left group, σ and the floor, and norms and residuals while packing.
  return all * (2 * inner_of(features).size() + 16 + 4 + 4 + 24);
}

DeviceArray<std::int32_t> random_order(std::int64_t count) {
  int half_bits = 1;
  while ((std::int64_t{1} << (2 * half_bits)) < count) ++half_bits;
  DeviceArray<std::int32_t> order(count);
  random_order_kernel<<<blocks_of(count, 256), 256>>>(order.data(), count, half_bits);
  check_launch("random_order");
  return order;
}

PackedPoints pack(const float* points, const std::int32_t* order, std::int64_t rows,
                  std::int64_t features, PackedScale& scale) {
  const std::int64_t all = padded(rows);
  const Inner inner = inner_of(features);
  const dim3 warps(kWarp, kWarpsPerBlock);
  const bool first = scale.exponent.size() == 0;
  if (first) {
    scale.exponent = DeviceArray<int>(1);
    scale.theta = DeviceArray<double>(1);
    DeviceArray<unsigned long long> largest(1);
    check(cudaMemsetAsync(largest.data(), 0, sizeof(unsigned long long)), "cudaMemsetAsync");
    largest_half_norm<<<blocks_of(rows, kWarpsPerBlock), warps>>>(points, rows, features,
                                                                  largest.data());
    set_exponent<<<1, 1>>>(largest.data(), scale.exponent.data());
  }
  PackedPoints result;
  result.rows = rows;
  result.inner = inner;
  result.packed = DeviceArray<__half>(all * inner.size());
  result.left_group = DeviceArray<__half>(all * 8);
  result.sigma = DeviceArray<float>(all);
  result.floor = DeviceArray<float>(all);
  DeviceArray<double> half_norm(all), residual(2 * all);
  round_points<<<blocks_of(all, kWarpsPerBlock), warps>>>(
      points, order, rows, features, inner.groups(), scale.exponent.data(), result.packed.data(),
      half_norm.data(), residual.data());
  if (first) choose_theta<<<1, 1024>>>(residual.data(), rows, scale.theta.data());
  append_half_norms<<<blocks_of(all, kBlockRows), kBlockRows>>>(
      half_norm.data(), residual.data(), rows, inner.groups(), inner.size(), scale.theta.data(),
      result.packed.data(), result.left_group.data(), result.sigma.data(), result.floor.data());
  check_launch("pack");
  return result;
}

void reach_floors(const double* reach, const std::int32_t* order, std::int64_t rows,
                  const PackedScale& scale, float* floor) {
  reach_floors_kernel<<<blocks_of(padded(rows), kBlockRows), kBlockRows>>>(
      reach, order, rows, scale.exponent.data(), floor);
  check_launch("reach_floors");
}

}  // namespace stkr::cuda::neighbor
