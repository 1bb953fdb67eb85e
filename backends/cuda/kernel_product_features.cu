#include <algorithm>

#include "kernel_product_plain.hpp"

namespace stkr::cuda {
namespace {

constexpr int width = 16;
constexpr int threads = 256;
constexpr int tile = 64;

// One part of Bᵀ V: 64 features × 16 columns per block, over the rows of the part.
template <class Scalar>
__global__ void feature_sums(const Scalar* points, std::size_t count, std::size_t features,
                             const double* vectors, double* sums) {
  __shared__ double block[tile][width];
  const std::size_t feature = std::size_t{blockIdx.x} * tile + threadIdx.x % tile;
  const int first = threadIdx.x / tile * 4;
  const std::size_t begin = count * blockIdx.y / gridDim.y;
  const std::size_t end = count * (blockIdx.y + 1) / gridDim.y;
  double totals[4] = {};
  for (std::size_t row = begin; row < end; row += tile) {
    const int rows = static_cast<int>(min(end - row, std::size_t{tile}));
    __syncthreads();
    for (int i = threadIdx.x; i < rows * width; i += threads) {
      block[i / width][i % width] = vectors[row * width + i];
    }
    __syncthreads();
    if (feature >= features) continue;
    for (int r = 0; r < rows; ++r) {
      const auto x = static_cast<double>(points[(row + r) * features + feature]);
#pragma unroll
      for (int c = 0; c < 4; ++c) totals[c] = fma(x, block[r][first + c], totals[c]);
    }
  }
  if (feature >= features) return;
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    sums[(blockIdx.y * features + feature) * width + first + c] = totals[c];
  }
}

__global__ void add_parts(const double* sums, int parts, std::size_t size, double* total) {
  const std::size_t item = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (item >= size) return;
  double sum = 0.0;
  for (int part = 0; part < parts; ++part) sum += sums[part * size + item];
  total[item] = sum;
}

// 64 rows of A times the features × 16 sums.
template <class Scalar>
__global__ void multiply_features(const Scalar* points, std::size_t count, std::size_t features,
                                  const double* sums, double* row_sums) {
  constexpr int depth = 32;
  __shared__ double block[tile][depth + 1];
  __shared__ double right[depth][width];
  const std::size_t row = std::size_t{blockIdx.x} * tile;
  const int own = threadIdx.x % tile;
  const int first = threadIdx.x / tile * 4;
  double totals[4] = {};
  for (std::size_t k0 = 0; k0 < features; k0 += depth) {
    __syncthreads();
    for (int i = threadIdx.x; i < tile * depth; i += threads) {
      const std::size_t r = row + i / depth;
      const std::size_t k = k0 + i % depth;
      block[i / depth][i % depth] =
          r < count && k < features ? static_cast<double>(points[r * features + k]) : 0.0;
    }
    for (int i = threadIdx.x; i < depth * width; i += threads) {
      right[i / width][i % width] = k0 + i / width < features ? sums[k0 * width + i] : 0.0;
    }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < depth; ++k) {
#pragma unroll
      for (int c = 0; c < 4; ++c) totals[c] = fma(block[own][k], right[k][first + c], totals[c]);
    }
  }
  if (row + own >= count) return;
#pragma unroll
  for (int c = 0; c < 4; ++c) row_sums[(row + own) * width + first + c] = totals[c];
}

template <class Scalar>
void multiply(const Scalar* rows, std::size_t row_count, const Scalar* columns,
              std::size_t column_count, std::size_t features, const double* vectors,
              double* workspace, double* row_sums) {
  const int parts = feature_parts(column_count);
  double* partial = workspace;
  double* sums = workspace + static_cast<std::size_t>(parts) * features * width;
  feature_sums<<<dim3(static_cast<unsigned>((features + tile - 1) / tile),
                      static_cast<unsigned>(parts)),
                 threads>>>(columns, column_count, features, vectors, partial);
  check_launch("feature_sums");
  const std::size_t size = features * width;
  add_parts<<<static_cast<unsigned>((size + threads - 1) / threads), threads>>>(partial, parts,
                                                                                size, sums);
  check_launch("add_parts");
  multiply_features<<<static_cast<unsigned>((row_count + tile - 1) / tile), threads>>>(
      rows, row_count, features, sums, row_sums);
  check_launch("multiply_features");
}

}  // namespace

int feature_parts(std::size_t count) {
  return static_cast<int>(std::clamp<std::size_t>(count / 512, 1, 256));
}

void feature_product(const PackedPoints& rows, const PackedPoints& columns, const double* vectors,
                     double* workspace, double* row_sums) {
  const PackedStorage& a = rows.storage();
  const PackedStorage& b = columns.storage();
  if (rows.layout() == PackedLayout::features32) {
    multiply(a.values32.data(), rows.count(), b.values32.data(), columns.count(), rows.features(),
             vectors, workspace, row_sums);
  } else {
    multiply(a.values64.data(), rows.count(), b.values64.data(), columns.count(), rows.features(),
             vectors, workspace, row_sums);
  }
}

}  // namespace stkr::cuda
