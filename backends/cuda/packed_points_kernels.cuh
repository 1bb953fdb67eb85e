#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "packed_points_layout.hpp"

// Moments of points, and packing in every layout.
namespace stkr::cuda {

inline constexpr int rows_per_sum = 512;  // of one partial sum of moments

// Sums over rows_per_sum rows of x - center, or of its squares, for each feature.
template <class T>
__global__ void partial_sums(const T* points, std::size_t rows, std::size_t features,
                             const double* center, bool squares, double* sums) {
  const std::size_t feature = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (feature >= features) return;
  const std::size_t begin = std::size_t{blockIdx.y} * rows_per_sum;
  const std::size_t end = min(rows, begin + rows_per_sum);
  double sum = 0.0;
  for (std::size_t row = begin; row < end; ++row) {
    const double x =
        static_cast<double>(points[row * features + feature]) - (center ? center[feature] : 0.0);
    sum += squares ? x * x : x;
  }
  sums[blockIdx.y * features + feature] = sum;
}

static __global__ void add_partial_sums(const double* sums, std::size_t parts, std::size_t features,
                                        double* total) {
  const std::size_t feature = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (feature >= features) return;
  double sum = total[feature];
  for (std::size_t part = 0; part < parts; ++part) sum += sums[part * features + feature];
  total[feature] = sum;
}

__device__ inline double warp_sum(double value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

// The largest ‖x - center‖², as bits: those of nonnegative doubles are ordered like the numbers.
template <class T>
__global__ void largest_norm2(const T* points, std::size_t rows, std::size_t features,
                              const double* center, unsigned long long* largest) {
  const std::size_t row = std::size_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  double sum = 0.0;
  for (std::size_t k = threadIdx.x % 32; k < features; k += 32) {
    const double x = static_cast<double>(points[row * features + k]) - (center ? center[k] : 0.0);
    sum += x * x;
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) {
    atomicMax(largest, static_cast<unsigned long long>(__double_as_longlong(sum)));
  }
}

struct PackTarget {
  PackedLayout layout;
  HalfLayout half;
  FullLayout full;
  std::size_t rows;
  std::uint16_t* leading;
  std::uint16_t* trailing;
  double* values64;
  float* values32;
  double* norms;
  double* weights;
  FormulaKind kind;
  double scale;
  double offset;    // half_offset
  double constant;  // |c₀|
  double sign;      // of c₀/γ
  int degree;
};

__device__ inline std::uint16_t rounded_half(double value, double& rounded) {
  const __half half = __double2half(value);
  rounded = static_cast<double>(__half2float(half));
  return __half_as_ushort(half);
}

__device__ inline void pack_tail(const PackTarget& to, std::size_t row, const double a[3],
                                 const double b[3]) {
  double unused;
  for (int slot = 0; slot < 3; ++slot) {
    to.leading[to.half.tail_index(row, slot)] = rounded_half(a[slot], unused);
    to.leading[to.half.tail_index(row, 8 + slot)] = rounded_half(b[slot], unused);
    to.leading[to.half.tail_index(row, 16 + slot)] = rounded_half(a[slot], unused);
  }
}

// One warp per row; `rows` of `points` are rows first_row... of the packed ones, and the rows from
// there to `last_row` are padding.
template <class T>
__global__ void pack_rows(const T* points, std::size_t first_row, std::size_t rows,
                          std::size_t last_row, std::size_t features, const double* center,
                          PackTarget to) {
  const std::size_t local = std::size_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
  const std::size_t row = first_row + local;
  const int lane = threadIdx.x % 32;
  if (row >= last_row) return;
  const bool present = local < rows;
  const auto scaled = [&](std::size_t k) {
    return to.scale *
           (static_cast<double>(points[local * features + k]) - (center ? center[k] : 0.0));
  };
  const bool polynomial = to.kind == FormulaKind::polynomial;
  const bool cosine = to.kind == FormulaKind::cosine;
  double norm2 = 0.0;
  if (present && (polynomial || cosine || to.layout == PackedLayout::half_tiles)) {
    for (std::size_t k = lane; k < features; k += 32) norm2 += scaled(k) * scaled(k);
  }
  norm2 = warp_sum(norm2);
  double factor = 1.0;
  double r = 0.0;
  if (polynomial) {
    r = present ? sqrt(norm2 + to.constant) : 0.0;
    factor = r > 0.0 ? 1.0 / r : 0.0;
  } else if (cosine) {
    factor = norm2 > 0.0 ? 1.0 / sqrt(norm2) : 0.0;
  } else if (to.layout == PackedLayout::half_tiles && sqrt(norm2) > clamped_half_norm) {
    factor = clamped_half_norm / sqrt(norm2);
  }
  double rounded_norm2 = 0.0;
  for (std::size_t k = lane; present && k < features; k += 32) {
    const double x = factor * scaled(k);
    double rounded = x;
    switch (to.layout) {
      case PackedLayout::half_tiles:
        to.leading[to.half.index(row, k)] = rounded_half(x, rounded);
        if (to.trailing) {
          double rest;
          to.trailing[to.half.index(row, k)] = rounded_half(x - rounded, rest);
          rounded += rest;
        }
        break;
      case PackedLayout::full_tiles:
        to.values64[to.full.index(row, k)] = x;
        break;
      case PackedLayout::plain32:
        to.values32[k * to.rows + row] = static_cast<float>(x);
        break;
      case PackedLayout::plain64:
        to.values64[k * to.rows + row] = x;
        break;
      case PackedLayout::features32:
        to.values32[row * features + k] = static_cast<float>(x);
        break;
      case PackedLayout::features64:
        to.values64[row * features + k] = x;
        break;
    }
    rounded_norm2 += rounded * rounded;
  }
  rounded_norm2 = warp_sum(rounded_norm2);
  if (lane != 0) return;
  const double c = r > 0.0 ? sqrt(to.constant) / r : 0.0;
  if (to.norms) to.norms[row] = polynomial ? c : 0.5 * rounded_norm2;
  if (to.weights) to.weights[row] = pow(r, static_cast<double>(to.degree));
  if (to.layout != PackedLayout::half_tiles) return;
  double high;
  if (polynomial) {
    const double half_c = c * 0.70710678118654752;
    rounded_half(half_c, high);
    const double a[3] = {high, high, half_c - high};
    const double b[3] = {to.sign * high, to.sign * (half_c - high), to.sign * high};
    pack_tail(to, row, a, b);
  } else {
    double a[3];
    const double b[3] = {1.0, 1.0, 1.0};
    double rest = to.offset - 0.5 * rounded_norm2;
    for (int slot = 0; slot < 3; ++slot) {
      rounded_half(rest, a[slot]);
      rest -= a[slot];
    }
    pack_tail(to, row, a, b);
  }
}

}  // namespace stkr::cuda
