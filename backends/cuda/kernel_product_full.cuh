#pragma once

#include "kernel_epilogue.cuh"
#include "kernel_product_async.cuh"
#include "kernel_product_turns.hpp"

// Kernel products in double precision with the fp64 tensor cores of compute capability 9.0. By
// symmetry, every tile of 128 × 64 is evaluated once and used twice. Two blocks share a
// multiprocessor: one waits for memory or exponentials while the other multiplies.
namespace stkr::cuda {

inline constexpr int full_rows = 128;
inline constexpr int full_columns = 64;
inline constexpr int full_threads = 256;
inline constexpr int full_width = 16;  // columns of vectors

struct FullProblem {
  const double* row_points;
  const double* column_points;
  const double* row_norms;
  const double* column_norms;
  const double* row_vectors;     // rows of 16, used if symmetric
  const double* column_vectors;  // rows of 16
  double* row_sums;              // strips × rows × 16, zero at first
  double* column_sums;           // the same
  unsigned* turns;               // strips × column tiles, zero at first
  std::size_t rows;
  std::size_t columns;
  int chunks;  // of 16 features
  TileSchedule schedule;
  FormulaOnDevice formula;
};

// In doubles. Rows of matrices in shared memory are 4 (mod 16) doubles apart, so that the lanes of
// a half warp, which read 4 rows × 4 columns, use all banks. Rows of points have 8 doubles; there
// the halves of every other pair of rows are exchanged to the same end.
struct FullShared {
  static constexpr int value_row = full_columns + 4;
  static constexpr int row_vector_row = full_rows + 4;
  static constexpr int column_vector_row = full_columns + 4;
  static constexpr int stages = 3;
  static constexpr int chunk = (full_rows + full_columns) * 16;
  // Chunks of points and, after them, kernel values use the same memory.
  static constexpr int row_vectors_at = stages * chunk;
  static_assert(full_rows * value_row <= row_vectors_at);
  static constexpr int column_vectors_at = row_vectors_at + full_width * row_vector_row;
  static constexpr int row_norms_at = column_vectors_at + full_width * column_vector_row;
  static constexpr int column_norms_at = row_norms_at + full_rows;
  static constexpr int results_at = column_norms_at + full_columns;
  static constexpr int bytes = 8 * (results_at + full_columns * full_width);
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// D += A B with 16 × 8 and 8 × 8 doubles. Lane l holds of A the rows l/4 and l/4 + 8 in the columns
// l%4 (a0, a1) and l%4 + 4 (a2, a3); the caller may number the summed dimension as it likes.
__device__ inline void full_mma(double (&d)[4], double a0, double a1, double a2, double a3,
                                double b0, double b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a0), "d"(a1), "d"(a2), "d"(a3), "d"(b0), "d"(b1));
}

template <int Bytes>
__device__ inline void copy_async(std::uint32_t to, const void* from) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory");
  }
}

// Starts copying 16 features of the rows and columns of a tile.
__device__ inline void load_full_chunk(const FullProblem& problem, std::uint32_t to, int chunk,
                                       std::size_t row, std::size_t column) {
  const auto exchanged = [](int i) { return i ^ (i >> 3 & 1) << 1; };  // of quarters of rows
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const std::size_t eight = 2 * chunk + half;
    const double* rows = problem.row_points + (eight * problem.rows + row) * 8;
    const double* columns = problem.column_points + (eight * problem.columns + column) * 8;
#pragma unroll
    for (int n = 0; n < full_rows * 4 / full_threads; ++n) {
      const int i = n * full_threads + threadIdx.x;
      copy_async<16>(to + (half * full_rows * 8 + exchanged(i) * 2) * 8, rows + i * 2);
    }
    const int i = threadIdx.x;
    copy_async<16>(to + (full_rows * 16 + half * full_columns * 8 + exchanged(i) * 2) * 8,
                   columns + i * 2);
  }
  static_assert(full_columns * 4 == full_threads);
}

// Starts copying what else belongs to the columns of a tile; vectors are transposed.
__device__ inline void load_full_columns(const FullProblem& problem, std::uint32_t shared,
                                         std::size_t column) {
#pragma unroll
  for (int n = 0; n < full_columns * full_width / full_threads; ++n) {
    const int i = n * full_threads + threadIdx.x;
    const int to = i % full_width * FullShared::column_vector_row + i / full_width;
    copy_async<8>(shared + (FullShared::column_vectors_at + to) * 8,
                  problem.column_vectors + column * full_width + i);
  }
  if (threadIdx.x < full_columns) {
    copy_async<8>(shared + (FullShared::column_norms_at + threadIdx.x) * 8,
                  problem.column_norms + column + threadIdx.x);
  }
}

// The inner products of 32 × 32 pairs per warp over all features.
__device__ inline void multiply_full_points(const FullProblem& problem, const double* memory,
                                            std::size_t row, std::size_t column,
                                            double (&acc)[2][4][4]) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const std::uint32_t shared = shared_address(memory);
  const auto load = [&](int chunk) {
    if (chunk < problem.chunks) {
      load_full_chunk(problem, shared + chunk % FullShared::stages * FullShared::chunk * 8, chunk,
                      row, column);
    }
    // A group even if it is empty, so that their numbers stay the same.
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  load_full_columns(problem, shared, column);
  load(0);
  load(1);
  // Lane l reads features l%4 and l%4 + 4 of row l/4: where they stand in the row, exchanged or
  // not.
  const int first = lane / 4 * 8 + (lane % 4 / 2 ^ (lane / 8 & 1) << 1) * 2 + lane % 2;
  const int second = first ^ 4;
#pragma unroll 1
  for (int chunk = 0; chunk < problem.chunks; ++chunk) {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    load(chunk + 2);  // where chunk - 1 was, which all threads have read
    const double* points = memory + chunk % FullShared::stages * FullShared::chunk;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const double* rows = points + half * full_rows * 8 + warp / 2 * 32 * 8;
      const double* columns = points + full_rows * 16 + half * full_columns * 8 + warp % 2 * 32 * 8;
      double a[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        a[i][0] = rows[first + i * 128];
        a[i][1] = rows[first + i * 128 + 64];
        a[i][2] = rows[second + i * 128];
        a[i][3] = rows[second + i * 128 + 64];
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const double b0 = columns[first + j * 64];
        const double b1 = columns[second + j * 64];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          full_mma(acc[i][j], a[i][0], a[i][1], a[i][2], a[i][3], b0, b1);
        }
      }
    }
  }
  __syncthreads();
}

template <bool Rbf>
__device__ inline double full_value(double product, double row_norm, double column_norm,
                                    const FormulaOnDevice& formula) {
  if constexpr (Rbf) {
    return full_exp2(product - (row_norm + column_norm));
  }
  if (formula.kind == FormulaKind::polynomial) {
    const double value = power(fma(formula.sign * row_norm, column_norm, product), formula.degree);
    return formula.negative ? -value : value;
  }
  const double half_distance2 = row_norm + column_norm - product;
  return euclidean_value(half_distance2 > 0.0 ? 2.0 * half_distance2 : 0.0, formula.kind);
}

#endif

template <bool Rbf>
__global__ void __launch_bounds__(full_threads, 2)
    full_product(const __grid_constant__ FullProblem problem) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ __align__(128) double full_memory[];
  double* values = full_memory;
  double* row_vectors = full_memory + FullShared::row_vectors_at;
  double* column_vectors = full_memory + FullShared::column_vectors_at;
  double* row_norms = full_memory + FullShared::row_norms_at;
  double* column_norms = full_memory + FullShared::column_norms_at;
  double* results = full_memory + FullShared::results_at;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int g = lane / 4;
  const int t = lane % 4;
  constexpr int value_row = FullShared::value_row;
  const TileSchedule& schedule = problem.schedule;
  // One thread adds results to columns and, a tile later, when that is done, lets the next block do
  // so; another waits for the turn. In different warps, since each takes a trip to memory.
  const bool adds = threadIdx.x == 32;
  const bool waits = threadIdx.x == 96;
  unsigned* pending = nullptr;  // the counter of the addition that is on its way
  unsigned next_turn = 0;       // what it becomes
  const auto finish_addition = [&] {
    if (!pending) return;
    bulk_add_finish();
    store_release(pending, next_turn);
    pending = nullptr;
  };
  for (int u = blockIdx.x; u < schedule.units(); u += gridDim.x) {
    const int strip = u / schedule.row_blocks;
    const int row_block = u % schedule.row_blocks;
    const std::size_t row = static_cast<std::size_t>(row_block) * full_rows;
    double row_sums[2][4] = {};
    for (int i = threadIdx.x; i < full_rows * full_width; i += full_threads) {
      row_vectors[i % full_width * FullShared::row_vector_row + i / full_width] =
          schedule.symmetric ? problem.row_vectors[row * full_width + i] : 0.0;
    }
    if (threadIdx.x < full_rows) row_norms[threadIdx.x] = problem.row_norms[row + threadIdx.x];
    for (int tile = 2 * schedule.strip_begin(strip); tile < 2 * schedule.strip_begin(strip + 1);
         ++tile) {
      const int distance = tile / 2;
      const int column_tile = 2 * schedule.column_block(row_block, distance) + tile % 2;
      const std::size_t column = static_cast<std::size_t>(column_tile) * full_columns;
      const bool transposed = schedule.adds_to_columns(distance);
      double acc[2][4][4] = {};
      multiply_full_points(problem, full_memory, row, column, acc);
      unsigned* const counter = problem.turns +
                                static_cast<std::size_t>(strip) * schedule.column_blocks * 2 +
                                column_tile;
      if (adds) finish_addition();
      if (waits && transposed) {
        const auto turn = static_cast<unsigned>(schedule.turn(strip, row_block, distance));
        while (load_acquire(counter) != turn) __nanosleep(40);
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
          for (int h = 0; h < 2; ++h) {
            const int r = warp / 2 * 32 + i * 16 + g + 8 * h;
            const int c = warp % 2 * 32 + j * 8 + 2 * t;
            double2 value;
            value.x =
                full_value<Rbf>(acc[i][j][2 * h], row_norms[r], column_norms[c], problem.formula);
            value.y = full_value<Rbf>(acc[i][j][2 * h + 1], row_norms[r], column_norms[c + 1],
                                      problem.formula);
            *reinterpret_cast<double2*>(values + r * value_row + c) = value;
          }
          asm volatile("" ::: "memory");  // so that norms are not loaded long before their use
        }
      }
      __syncthreads();
      if (schedule.symmetric && distance == 0 && problem.formula.kind != FormulaKind::polynomial) {
        const int r = tile % 2 * full_columns + threadIdx.x;
        if (threadIdx.x < full_columns) values[r * value_row + threadIdx.x] = 1.0;
        __syncthreads();
      }
      {
        const double* a = values + (warp * 16 + g) * value_row + t;
        const double* b = column_vectors + g * FullShared::column_vector_row + t;
#pragma unroll
        for (int k = 0; k < full_columns; k += 8) {
#pragma unroll
          for (int n = 0; n < 2; ++n) {
            const double* v = b + n * 8 * FullShared::column_vector_row + k;
            full_mma(row_sums[n], a[k], a[8 * value_row + k], a[k + 4], a[8 * value_row + k + 4],
                     v[0], v[4]);
          }
        }
      }
      if (transposed) {
        // Two sums, so that one product need not wait for the one before.
        double sums[2][4] = {};
        const double* a = row_vectors + g * FullShared::row_vector_row + t;
        const double* b = values + t * value_row + warp * 8 + g;
#pragma unroll
        for (int k = 0; k < full_rows; k += 8) {
          const double* v = a + 8 * FullShared::row_vector_row + k;
          full_mma(sums[k / 8 % 2], a[k], v[0], a[k + 4], v[4], b[k * value_row],
                   b[(k + 4) * value_row]);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          results[(warp * 8 + 2 * t + i % 2) * full_width + g + i / 2 * 8] =
              sums[0][i] + sums[1][i];
        }
        fence_proxy_shared();
      }
      __syncthreads();  // values are overwritten by the next tile's points
      if (transposed && adds) {
        bulk_add(problem.column_sums +
                     (static_cast<std::size_t>(strip) * problem.columns + column) * full_width,
                 shared_address(results), full_columns * full_width * 8);
        pending = counter;
        next_turn = static_cast<unsigned>(schedule.turn(strip, row_block, distance)) + 1;
      }
    }
    double* to =
        problem.row_sums +
        (static_cast<std::size_t>(strip) * problem.rows + row + warp * 16 + g) * full_width;
#pragma unroll
    for (int n = 0; n < 2; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        to[i / 2 * 8 * full_width + n * 8 + 2 * t + i % 2] = row_sums[n][i];
      }
    }
  }
  if (adds) finish_addition();
#endif
}

}  // namespace stkr::cuda
