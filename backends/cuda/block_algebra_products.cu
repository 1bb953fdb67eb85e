#include <algorithm>

#include "block_algebra_kernels.hpp"
#include "block_algebra_mma.cuh"
#include "block_algebra_rows.cuh"

// X M for a tall X and a small M on the tensor cores in double precision. A warp has 32 rows of X,
// which it reads from memory; M is in shared memory, all of it or up to 64 rows for the columns of
// one tile.
namespace stkr::cuda::kernels {
namespace {

constexpr int warps = 4, row_tiles = 4;
constexpr int block_rows = 8 * row_tiles * warps;
constexpr int depth = 64;  // rows of a part of M in shared memory
constexpr std::int64_t most_shared = 96 * 1024;
constexpr std::int64_t most_blocks = 132 * 8;
constexpr int gap = 4;  // doubles between rows in shared memory: free of bank conflicts

enum class Kind { store, subtract, upper };

// NT × 8 columns of the result at a time, from the last to the first: if M is upper triangular, X
// may be overwritten so, because columns to the left do not depend on those to the right. A warp
// writes only rows that no other reads.
template <int NT, Kind K>
__global__ void __launch_bounds__(32 * warps)
    small_kernel(const double* x, std::int64_t x_stride, std::int64_t rows, int x_columns,
                 SmallMatrix m, bool whole, double* y, std::int64_t y_stride, int y_columns,
                 bool aligned) {
  constexpr int width = 8 * NT;
  constexpr int steps = 4;  // of 4 columns of X, whose loads are in flight together
  extern __shared__ double shared[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int tiles = (y_columns + width - 1) / width;
  const int pitch = (whole ? m.columns : width) + gap;
  // Rows [k0, k0 + count) and columns [c0, c0 + columns) of M.
  const auto stage = [&](int k0, int count, int c0, int columns) {
    for (int e = threadIdx.x; e < count * columns; e += 32 * warps) {
      const int r = e / columns, c = e % columns;
      shared[r * pitch + c] =
          k0 + r < m.rows ? m.data[static_cast<std::int64_t>(k0 + r) * m.columns + c0 + c] : 0.0;
    }
    __syncthreads();
  };
  if (whole) stage(0, m.rows, 0, m.columns);
  for (std::int64_t base = static_cast<std::int64_t>(blockIdx.x) * block_rows; base < rows;
       base += static_cast<std::int64_t>(gridDim.x) * block_rows) {
    const std::int64_t first = base + 8 * row_tiles * warp;
    for (int tile = tiles - 1; tile >= 0; --tile) {
      double d[row_tiles][NT][2] = {};
      const int inner = K == Kind::upper ? min(m.rows, (tile + 1) * width) : m.rows;
      const int chunk = whole ? inner : depth;
      for (int k0 = 0; k0 < inner; k0 += chunk) {
        if (!whole) {
          __syncthreads();
          stage(k0, depth, tile * width, width);
        }
        const double* part = whole ? shared + tile * width : shared;
        const int here = min(chunk, inner - k0);
        for (int k = 0; k < here; k += 4 * steps) {
          double a[steps][row_tiles];
#pragma unroll
          for (int s = 0; s < steps; ++s) {
            const int column = k0 + k + 4 * s + lane % 4;
#pragma unroll
            for (int r = 0; r < row_tiles; ++r) {
              const std::int64_t row = first + 8 * r + lane / 4;
              a[s][r] = row < rows && column < x_columns && k + 4 * s < here
                            ? x[row * x_stride + column]
                            : 0.0;
            }
          }
#pragma unroll
          for (int s = 0; s < steps; ++s) {
            if (k + 4 * s >= here) break;
            double b[NT];
#pragma unroll
            for (int n = 0; n < NT; ++n) {
              b[n] = part[(k + 4 * s + lane % 4) * pitch + 8 * n + lane / 4];
            }
#pragma unroll
            for (int r = 0; r < row_tiles; ++r) {
#pragma unroll
              for (int n = 0; n < NT; ++n) multiply_add_8x8x4(d[r][n], a[s][r], b[n]);
            }
          }
        }
      }
#pragma unroll
      for (int r = 0; r < row_tiles; ++r) {
        const std::int64_t row = first + 8 * r + lane / 4;
        if (row >= rows) continue;
#pragma unroll
        for (int n = 0; n < NT; ++n) {
          const int column = tile * width + 8 * n + 2 * (lane % 4);
          double* to = y + row * y_stride + column;
          if (aligned && column + 1 < y_columns) {
            Pack<2> result{{d[r][n][0], d[r][n][1]}};
            if constexpr (K == Kind::subtract) {
              const Pack<2> old = load_pack<2>(to);
              result = {{old.v[0] - result.v[0], old.v[1] - result.v[1]}};
            }
            store_pack(to, result);
          } else {
#pragma unroll
            for (int k = 0; k < 2; ++k) {
              if (column + k >= y_columns) continue;
              to[k] = K == Kind::subtract ? to[k] - d[r][n][k] : d[r][n][k];
            }
          }
        }
      }
    }
  }
}

template <Kind K>
void launch(ConstCudaView x, const SmallMatrix& m, CudaView y, const char* name) {
  if (y.rows() == 0 || y.cols() == 0) return;
  const std::int64_t tiles = (y.rows() + block_rows - 1) / block_rows;
  const std::int64_t all = static_cast<std::int64_t>(sizeof(double)) * m.rows * (m.columns + gap);
  const bool whole = all <= most_shared;
  const auto start = [&](auto kernel, int width) {
    const auto bytes = static_cast<int>(whole ? all : sizeof(double) * depth * (width + gap));
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), name);
    const auto grid =
        static_cast<unsigned>(std::min(tiles, bytes > 40000 ? most_blocks / 2 : most_blocks));
    kernel<<<grid, 32 * warps, bytes>>>(x.data(), x.stride(), x.rows(), static_cast<int>(x.cols()),
                                        m, whole, y.data(), y.stride(), static_cast<int>(y.cols()),
                                        aligned_rows(y));
  };
  if (y.cols() <= 8) {
    start(small_kernel<1, K>, 8);
  } else if (y.cols() <= 16) {
    start(small_kernel<2, K>, 16);
  } else {
    start(small_kernel<4, K>, 32);
  }
  check_launch(name);
}

}  // namespace

void small_product(ConstCudaView x, const SmallMatrix& m, Into into, CudaView y) {
  if (into == Into::store) {
    launch<Kind::store>(x, m, y, "tall_times_small");
  } else {
    launch<Kind::subtract>(x, m, y, "subtract_product");
  }
}

void multiply_by_upper(CudaView x, const SmallMatrix& m) {
  launch<Kind::upper>(x, m, x, "multiply_by_upper");
}

}  // namespace stkr::cuda::kernels
