#include <cuda_fp16.h>

#include <algorithm>

#include "kernel_product_vectors.hpp"
#include "packed_points_layout.hpp"

namespace stkr::cuda {
namespace {

constexpr int width = 16;
constexpr int threads = 256;

unsigned blocks_for(std::size_t items) {
  return static_cast<unsigned>((items + threads - 1) / threads);
}

__device__ double weighted_value(const VectorBlock& block, std::size_t row, int column) {
  if (row >= block.rows || column >= block.columns) return 0.0;
  const double value = block.values[row * block.leading_dimension + block.first + column];
  return block.weights ? block.weights[row] * value : value;
}

// Bits of nonnegative doubles are ordered like the numbers, and a maximum has no order of
// evaluation.
__global__ void largest_magnitudes(VectorBlock block, unsigned long long* largest) {
  __shared__ unsigned long long shared[width];
  if (threadIdx.x < width) shared[threadIdx.x] = 0;
  __syncthreads();
  const int column = threadIdx.x % width;
  const std::size_t step = std::size_t{gridDim.x} * (threads / width);
  double magnitude = 0.0;
  for (std::size_t row = std::size_t{blockIdx.x} * (threads / width) + threadIdx.x / width;
       row < block.rows; row += step) {
    magnitude = fmax(magnitude, fabs(weighted_value(block, row, column)));
  }
  atomicMax(&shared[column], static_cast<unsigned long long>(__double_as_longlong(magnitude)));
  __syncthreads();
  if (threadIdx.x < width) atomicMax(&largest[threadIdx.x], shared[threadIdx.x]);
}

__global__ void power_of_two_scales(const unsigned long long* largest, double* scales) {
  const double magnitude = __longlong_as_double(static_cast<long long>(largest[threadIdx.x]));
  const bool usable = magnitude > 0.0 && magnitude < 1e300;
  const int exponent = usable ? max(ilogb(magnitude), -1000) : vector_shift - 1;
  scales[threadIdx.x] = scalbn(1.0, vector_shift - 1 - exponent);
}

// One thread per 8 rows of a column.
__global__ void pack_halves(VectorBlock block, const double* scales, int halves, std::size_t padded,
                            std::uint16_t* packed) {
  const std::size_t item = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (item >= padded / 8 * width) return;
  const int column = item % width;
  const std::size_t row = item / width * 8;
  const double scale = scales[column];
  alignas(16) std::uint16_t leading[8];
  alignas(16) std::uint16_t trailing[8];
  for (int i = 0; i < 8; ++i) {
    const double value = scale * weighted_value(block, row + i, column);
    const __half high = __double2half(value);
    const __half low = __double2half(value - static_cast<double>(__half2float(high)));
    leading[i] = __half_as_ushort(high);
    trailing[i] = __half_as_ushort(low);
  }
  const std::size_t all = std::size_t{width} * halves;
  *reinterpret_cast<uint4*>(packed + vector_index(row, column, all)) =
      *reinterpret_cast<uint4*>(leading);
  if (halves == 2) {
    *reinterpret_cast<uint4*>(packed + vector_index(row, width + column, all)) =
        *reinterpret_cast<uint4*>(trailing);
  }
}

__global__ void pack_doubles(VectorBlock block, std::size_t padded, double* packed) {
  const std::size_t item = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (item >= padded * width) return;
  packed[item] = weighted_value(block, item / width, item % width);
}

template <class Sum>
__global__ void add_sums(SumBlock<Sum> sums, std::size_t rows, int first, int columns, double* y,
                         std::size_t ldy) {
  const std::size_t item = std::size_t{blockIdx.x} * threads + threadIdx.x;
  const std::size_t row = item / width;
  const int column = item % width;
  if (row >= rows || column >= columns) return;
  double sum = 0.0;
  const std::size_t part = sums.padded * width;
  const std::size_t at = row * width + column;
  for (int i = 0; i < sums.row_parts; ++i) {
    sum += static_cast<double>(sums.row_sums[i * part + at]);
  }
  for (int i = 0; sums.column_sums && i < sums.column_parts; ++i) {
    sum += static_cast<double>(sums.column_sums[i * part + at]);
  }
  double factor = sums.factor;
  if (sums.weights) factor *= sums.weights[row];
  if (sums.scales) factor /= sums.scales[column];
  y[row * ldy + first + column] = factor * sum;
}

template <class Sum>
void launch_add_sums(const SumBlock<Sum>& sums, std::size_t rows, int first, int columns, double* y,
                     std::size_t ldy) {
  add_sums<<<blocks_for(rows * width), threads>>>(sums, rows, first, columns, y, ldy);
  check_launch("add_sums");
}

}  // namespace

void scale_vectors(const VectorBlock& block, unsigned long long* largest, double* scales) {
  check(cudaMemsetAsync(largest, 0, width * sizeof(*largest), nullptr), "clearing magnitudes");
  const unsigned blocks = std::min(blocks_for(block.rows * width), 1056u);
  largest_magnitudes<<<blocks, threads>>>(block, largest);
  check_launch("largest_magnitudes");
  power_of_two_scales<<<1, width>>>(largest, scales);
  check_launch("power_of_two_scales");
}

void pack_vectors(const VectorBlock& block, const double* scales, int halves, std::size_t padded,
                  std::uint16_t* packed) {
  pack_halves<<<blocks_for(padded / 8 * width), threads>>>(block, scales, halves, padded, packed);
  check_launch("pack_halves");
}

void pack_vectors(const VectorBlock& block, std::size_t padded, double* packed) {
  pack_doubles<<<blocks_for(padded * width), threads>>>(block, padded, packed);
  check_launch("pack_doubles");
}

void store_sums(const SumBlock<float>& sums, std::size_t rows, int first, int columns, double* y,
                std::size_t ldy) {
  launch_add_sums(sums, rows, first, columns, y, ldy);
}

void store_sums(const SumBlock<double>& sums, std::size_t rows, int first, int columns, double* y,
                std::size_t ldy) {
  launch_add_sums(sums, rows, first, columns, y, ldy);
}

}  // namespace stkr::cuda
