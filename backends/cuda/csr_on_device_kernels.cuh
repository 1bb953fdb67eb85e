#pragma once

#include <cstdint>
#include <type_traits>

#include "csr_on_device_kernels.hpp"

// The product of a sparse matrix and a row-major block. A row of x is read by Q threads, 16 bytes
// each, and P entries of a row of A are processed side by side: a group of P Q threads per row, of
// which U gathers per thread are in flight. The P sums are added in order. On an H200 random
// gathers keep the second-level cache 90 % busy; everything else must stay out of their way.
namespace stkr::cuda::kernels {

constexpr int csr_threads = 128;
constexpr int csr_warps = csr_threads / 32;

// T is the type of z and of sums, Weight that of values (void: none), Out that of x and y.
template <class T, class Weight, class Out>
struct CsrStep {
  std::int64_t rows;
  const std::int64_t* row_start;
  const std::int32_t* column;
  const Weight* value;
  const double* row_factor;
  const std::int32_t* long_row;
  const std::int32_t* segment_row;
  const std::int64_t* first_segment;
  std::int64_t segments, split_rows;
  T* partial;
  int columns;
  const T* z;
  std::int64_t z_stride;
  Out a, b, c;
  const Out* x;
  std::int64_t x_stride;
  Out* y;
  std::int64_t y_stride;
};

template <class T, int V>
struct alignas(V * sizeof(T)) Gathered {
  T v[V];
};

// Loads under a condition; otherwise `to` keeps its value or, in gather(), is undefined. These are
// instructions of their own because the compiler makes a branch of every condition and reuses the
// registers of a load for the next, so that no two are in flight.
__device__ inline void load(const std::int32_t* from, bool on, std::int32_t& to) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc.b32 %0, [%1];}"
               : "+r"(to)
               : "l"(from), "r"(static_cast<int>(on)));
}
__device__ inline void load(const float* from, bool on, float& to) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc.f32 %0, [%1];}"
               : "+f"(to)
               : "l"(from), "r"(static_cast<int>(on)));
}
__device__ inline void load(const double* from, bool on, double& to) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc.f64 %0, [%1];}"
               : "+d"(to)
               : "l"(from), "r"(static_cast<int>(on)));
}
__device__ inline void gather(const double* from, bool on, Gathered<double, 2>& to) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %3, 0; @p ld.global.nc.v2.f64 {%0, %1}, [%2];}"
               : "=d"(to.v[0]), "=d"(to.v[1])
               : "l"(from), "r"(static_cast<int>(on)));
}
__device__ inline void gather(const float* from, bool on, Gathered<float, 4>& to) {
  asm volatile(
      "{.reg .pred p; setp.ne.s32 p, %5, 0; @p ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];}"
      : "=f"(to.v[0]), "=f"(to.v[1]), "=f"(to.v[2]), "=f"(to.v[3])
      : "l"(from), "r"(static_cast<int>(on)));
}
__device__ inline void gather(const double* from, bool on, Gathered<double, 1>& to) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc.f64 %0, [%1];}"
               : "=d"(to.v[0])
               : "l"(from), "r"(static_cast<int>(on)));
}
__device__ inline void gather(const float* from, bool on, Gathered<float, 1>& to) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc.f32 %0, [%1];}"
               : "=f"(to.v[0])
               : "l"(from), "r"(static_cast<int>(on)));
}

// How a group works. K = 0: each thread reads the entries that it needs. Else the group reads K
// entries per thread at a time and passes them on by shuffles, in chunks of U: an address that
// several threads share costs the load unit as much as a row of x, which matters if rows are short.
// Blocks is the number per multiprocessor for which registers must suffice.
template <int Q_, int P_, int K_, int U_, int Blocks>
struct CsrShape {
  static constexpr int Q = Q_, P = P_, K = K_, U = U_, blocks = Blocks;
  static constexpr int threads = P * Q;
  static_assert(threads <= 32 && Q * K % U == 0);
};

template <int V, class T>
__device__ void add_row(T weight, const Gathered<T, V>& row, Gathered<T, V>& sum) {
#pragma unroll
  for (int k = 0; k < V; ++k) sum.v[k] += weight * row.v[k];
}

// The sum of the entries slot, slot + P, ... of `count`, where `own` is the number of a thread in
// its group, which starts at lane `first`. All threads of a warp take part; `gathers` tells whether
// a thread has columns.
template <class Shape, int V, class T, class Weight, class Out>
__device__ Gathered<T, V> sum_entries(const CsrStep<T, Weight, Out>& step, std::int64_t begin,
                                      int count, int first, int own, bool gathers, int c) {
  constexpr int Q = Shape::Q, P = Shape::P, K = Shape::K, U = Shape::U;
  constexpr bool weighted = !std::is_void_v<Weight>;
  using Loaded = std::conditional_t<weighted, Weight, float>;
  Gathered<T, V> sum{};
  const T* z = step.z + c;
  if constexpr (K == 0) {
    if (!gathers) return sum;
    for (int p = own / Q; p < count; p += U * P) {
      std::int32_t j[U];
      Loaded weight[U];
      Gathered<T, V> row[U];
#pragma unroll
      for (int u = 0; u < U; ++u) {
        const bool on = p + u * P < count;
        j[u] = -1;
        load(step.column + begin + p + u * P, on, j[u]);
        weight[u] = 0;
        if constexpr (weighted) load(step.value + begin + p + u * P, on, weight[u]);
      }
#pragma unroll
      for (int u = 0; u < U; ++u) gather(z + j[u] * step.z_stride, j[u] >= 0, row[u]);
#pragma unroll
      for (int u = 0; u < U; ++u) {
        if (j[u] >= 0) add_row(weighted ? static_cast<T>(weight[u]) : T(1), row[u], sum);
      }
    }
  } else {
    const int most = __reduce_max_sync(0xffffffff, count);  // of the groups of the warp
    const int source = first + own / Q;
    for (int p = 0; p < most; p += K * Shape::threads) {
      std::int32_t column[K];
      Loaded value[K];
#pragma unroll
      for (int k = 0; k < K; ++k) {
        const int e = p + k * Shape::threads + own;
        column[k] = -1;
        load(step.column + begin + e, e < count, column[k]);
        value[k] = 0;
        if constexpr (weighted) load(step.value + begin + e, e < count, value[k]);
      }
#pragma unroll
      for (int g = 0; g < Q * K; g += U) {
        if (p + g * P >= most) break;
        bool on[U];
        Gathered<T, V> row[U];
#pragma unroll
        for (int u = 0; u < U; ++u) {
          const int lane = source + (g + u) % Q * P;
          const std::int32_t j = __shfl_sync(0xffffffff, column[(g + u) / Q], lane);
          on[u] = j >= 0 && gathers;
          gather(z + j * step.z_stride, on[u], row[u]);
        }
#pragma unroll
        for (int u = 0; u < U; ++u) {
          // Not earlier: it would take as many registers more.
          T weight = 1;
          if constexpr (weighted) {
            const int lane = source + (g + u) % Q * P;
            weight = static_cast<T>(__shfl_sync(0xffffffff, value[(g + u) / Q], lane));
          }
          if (on[u]) add_row(weight, row[u], sum);
        }
      }
    }
  }
  return sum;
}

// The sum over slots in order, in the threads of slot 0. All threads of the warp take part.
template <int Q, int V, class T>
__device__ Gathered<T, V> sum_slots(const Gathered<T, V>& part, int slots) {
  Gathered<T, V> sum = part;
  for (int s = 1; s < slots; ++s) {
#pragma unroll
    for (int k = 0; k < V; ++k) {
      sum.v[k] += __shfl_sync(0xffffffff, part.v[k], (threadIdx.x + s * Q) % 32);
    }
  }
  return sum;
}

// y(i, c...) of a finished sum.
template <int V, class T, class Weight, class Out>
__device__ void finish_row(const CsrStep<T, Weight, Out>& step, std::int64_t i, int c,
                           const Gathered<T, V>& sum) {
  const Out a = step.row_factor ? static_cast<Out>(step.a * step.row_factor[i]) : step.a;
  const Out* x = step.x + i * step.x_stride + c;
  Out* y = step.y + i * step.y_stride + c;
  Gathered<Out, V> result;
#pragma unroll
  for (int k = 0; k < V; ++k) {
    result.v[k] = a * static_cast<Out>(sum.v[k]);
    if (c + k >= step.columns) continue;
    if (step.b != Out(0)) result.v[k] += step.b * x[k];
    if (step.c != Out(0)) result.v[k] += step.c * y[k];
  }
  constexpr int fits = 16 / sizeof(Out), width = V < fits ? V : fits;
  if constexpr (width > 1) {
    if (c + V <= step.columns && step.y_stride % width == 0 &&
        reinterpret_cast<std::uintptr_t>(step.y) % 16 == 0) {
#pragma unroll
      for (int k = 0; k < V; k += width) {
        __stcs(reinterpret_cast<float4*>(y + k), *reinterpret_cast<const float4*>(&result.v[k]));
      }
      return;
    }
  }
#pragma unroll
  for (int k = 0; k < V; ++k) {
    if (c + k < step.columns) y[k] = result.v[k];
  }
}

// The first blocks have the segments of long rows, one per warp, whose sums are final or partial;
// the others have the short rows.
template <class Shape, int V, class T, class Weight, class Out>
__global__ void __launch_bounds__(csr_threads, Shape::blocks)
    csr_kernel(const __grid_constant__ CsrStep<T, Weight, Out> step, unsigned segment_blocks) {
  constexpr int Q = Shape::Q;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first_column = blockIdx.y * Q * V;
  if (blockIdx.x < segment_blocks) {
    using Whole = CsrShape<Q, 32 / Q, Shape::K, Shape::U, Shape::blocks>;  // a warp is one group
    const std::int64_t segment = static_cast<std::int64_t>(blockIdx.x) * csr_warps + warp;
    if (segment >= step.segments) return;
    const int c = first_column + V * (lane % Q);
    const std::int32_t which = step.segment_row[segment];
    const std::int32_t i = step.long_row[which];
    const std::int64_t begin =
        step.row_start[i] + (segment - step.first_segment[which]) * csr_segment;
    const auto count = static_cast<int>(
        min(static_cast<std::int64_t>(csr_segment), step.row_start[i + 1] - begin));
    const bool member = lane < Whole::threads;
    Gathered<T, V> sum = sum_entries<Whole, V>(step, begin, member ? count : 0, 0, lane,
                                               member && c < step.columns, c);
    __syncwarp();
    sum = sum_slots<Q>(sum, Whole::P);
    if (lane >= Q || c >= step.columns) return;
    if (which >= step.split_rows) {
      finish_row<V>(step, i, c, sum);
      return;
    }
#pragma unroll
    for (int k = 0; k < V; ++k) {
      if (c + k < step.columns) step.partial[segment * step.columns + c + k] = sum.v[k];
    }
    return;
  }
  constexpr int warp_rows = 32 / Shape::threads;
  const int own = lane % Shape::threads, c = first_column + V * (own % Q);
  const std::int64_t i =
      (static_cast<std::int64_t>(blockIdx.x - segment_blocks) * csr_warps + warp) * warp_rows +
      lane / Shape::threads;
  const bool has_row = lane / Shape::threads < warp_rows && i < step.rows;
  std::int64_t begin = 0, length = 0;
  if (has_row) {
    begin = step.row_start[i];
    length = step.row_start[i + 1] - begin;
  }
  const bool is_short = length <= csr_long_row, gathers = has_row && c < step.columns;
  Gathered<T, V> sum = sum_entries<Shape, V>(step, begin, is_short ? static_cast<int>(length) : 0,
                                             lane - own, own, gathers, c);
  if constexpr (Shape::P > 1) {
    __syncwarp();
    sum = sum_slots<Q>(sum, Shape::P);
  }
  if (gathers && own < Q && is_short) finish_row<V>(step, i, c, sum);
}

// The sum of the segments of a split row: `width` columns at a time by the threads of a block.
template <class T, class Weight, class Out>
__global__ void __launch_bounds__(csr_threads)
    csr_split_rows_kernel(const __grid_constant__ CsrStep<T, Weight, Out> step, int width) {
  const int lanes = csr_threads / width, lane = threadIdx.x / width;
  const int c = blockIdx.y * width + threadIdx.x % width;
  T sum = 0;
  if (c < step.columns) {
    const std::int64_t end = step.first_segment[blockIdx.x + 1];
#pragma unroll 4
    for (std::int64_t s = step.first_segment[blockIdx.x] + lane; s < end; s += lanes) {
      sum += step.partial[s * step.columns + c];
    }
  }
  __shared__ T shared[csr_threads];
  shared[threadIdx.x] = sum;
  __syncthreads();
  if (lane > 0 || c >= step.columns) return;
  Gathered<T, 1> total{{sum}};
  for (int l = 1; l < lanes; ++l) total.v[0] += shared[l * width + threadIdx.x];
  finish_row<1>(step, step.long_row[blockIdx.x], c, total);
}

template <class Shape, int V, class T, class Weight, class Out>
void launch_csr(const CsrStep<T, Weight, Out>& step) {
  constexpr int block_rows = csr_warps * (32 / Shape::threads), columns = V * Shape::Q;
  const auto segment_blocks = static_cast<unsigned>((step.segments + csr_warps - 1) / csr_warps);
  const std::int64_t blocks = segment_blocks + (step.rows + block_rows - 1) / block_rows;
  const dim3 grid(static_cast<unsigned>(blocks),
                  static_cast<unsigned>((step.columns + columns - 1) / columns));
  csr_kernel<Shape, V><<<grid, csr_threads>>>(step, segment_blocks);
  check_launch("sparse product");
  if (step.split_rows == 0) return;
  int width = 1;
  while (width < 32 && width < step.columns) width *= 2;
  const dim3 split_grid(static_cast<unsigned>(step.split_rows),
                        static_cast<unsigned>((step.columns + width - 1) / width));
  csr_split_rows_kernel<<<split_grid, csr_threads>>>(step, width);
  check_launch("split rows of a sparse product");
}

// The shape for a number of columns, by measurement on an H200.
template <class T, class Weight, class Out>
void run_csr(const CsrStep<T, Weight, Out>& step) {
  constexpr int V = 16 / sizeof(T);
  constexpr bool single = V == 4, weighted = !std::is_void_v<Weight>;
  using Four = std::conditional_t<
      single, std::conditional_t<weighted, CsrShape<4, 1, 1, 4, 10>, CsrShape<4, 1, 2, 8, 8>>,
      std::conditional_t<weighted, CsrShape<4, 2, 1, 4, 8>, CsrShape<4, 1, 1, 4, 8>>>;
  using Five =
      std::conditional_t<weighted && !single, CsrShape<5, 1, 0, 5, 8>, CsrShape<5, 1, 1, 5, 8>>;
  using Eight =
      std::conditional_t<weighted, CsrShape<8, 1, 0, 4, single ? 10 : 8>, CsrShape<8, 1, 1, 8, 8>>;
  if (step.columns == 1) return launch_csr<CsrShape<1, 4, 0, 4, 8>, 1>(step);
  constexpr int most = 16;  // threads per row of x; wider blocks are multiplied in strips
  const int pieces = (step.columns + V - 1) / V;
  const int strips = (pieces + most - 1) / most;
  const int q = (pieces + strips - 1) / strips;
  if (q <= 1) return launch_csr<CsrShape<1, 4, 0, 4, 8>, V>(step);
  if (q <= 2) return launch_csr<CsrShape<2, 2, 2, 4, single ? 10 : 8>, V>(step);
  if (q <= 3) return launch_csr<CsrShape<3, 1, 2, 6, 8>, V>(step);
  if (q <= 4) return launch_csr<Four, V>(step);
  if (q <= 5) return launch_csr<Five, V>(step);
  if (q <= 6) return launch_csr<CsrShape<6, 1, 1, 6, 8>, V>(step);
  if (q <= 8) return launch_csr<Eight, V>(step);
  if (q <= 10) return launch_csr<CsrShape<10, 1, 0, 4, 8>, V>(step);
  if (q <= 12) return launch_csr<CsrShape<12, 1, 0, 4, 8>, V>(step);
  launch_csr<CsrShape<16, 1, 0, 4, 8>, V>(step);
}

template <class T, class Weight, class Out>
CsrStep<T, Weight, Out> csr_arguments(const CsrPointers& matrix) {
  CsrStep<T, Weight, Out> step{};
  step.rows = matrix.rows;
  step.row_start = matrix.row_start;
  step.column = matrix.column;
  step.row_factor = matrix.row_factor;
  step.long_row = matrix.long_row;
  step.segment_row = matrix.segment_row;
  step.first_segment = matrix.first_segment;
  step.segments = matrix.segments;
  step.split_rows = matrix.split_rows;
  return step;
}

}  // namespace stkr::cuda::kernels
