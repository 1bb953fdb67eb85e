#include <algorithm>

#include "block_algebra_kernels.hpp"
#include "block_algebra_rows.cuh"

// Sums over rows, in an order that depends only on the shape: rows are split into strips, a block
// adds those of one strip, and a second kernel adds the strips. No atomics.
namespace stkr::cuda::kernels {
namespace {

// Blocks of 256 threads that an H200 runs at once are 1,056.
constexpr std::int64_t most_strips = 1024;

// partial[strip, c] = Σ_i x_ic y_ic over the rows of a strip.
template <int V, bool Same>
__global__ void __launch_bounds__(rows_threads)
    dots_kernel(InBlock x, InBlock y, std::int64_t rows, int columns, int pieces, double* partial) {
  const int step = blockDim.x / pieces;
  const int lane = threadIdx.x / pieces;
  const int c = V * (blockIdx.y * pieces + threadIdx.x % pieces);
  const std::int64_t end = rows * (blockIdx.x + 1) / gridDim.x;
  std::int64_t i = rows * blockIdx.x / gridDim.x + lane;
  Pack<V> sums[rows_at_once] = {};
  const auto add = [&]<int W>() {
    for (; i + (rows_at_once - 1) * step < end; i += rows_at_once * step) {
      Pack<W> xs[rows_at_once], ys[rows_at_once];
#pragma unroll
      for (int u = 0; u < rows_at_once; ++u) {
        xs[u] = x.at<W>(i + u * step, c);
        if constexpr (!Same) ys[u] = y.at<W>(i + u * step, c);
      }
#pragma unroll
      for (int u = 0; u < rows_at_once; ++u) {
#pragma unroll
        for (int k = 0; k < W; ++k) {
          sums[u].v[k] += xs[u].v[k] * (Same ? xs[u].v[k] : ys[u].v[k]);
        }
      }
    }
    for (; i < end; i += step) {
      const Pack<W> xs = x.at<W>(i, c), ys = Same ? xs : y.at<W>(i, c);
#pragma unroll
      for (int k = 0; k < W; ++k) sums[0].v[k] += xs.v[k] * ys.v[k];
    }
  };
  if (c + V <= columns) {
    add.template operator()<V>();
  } else if (c < columns) {
    add.template operator()<1>();
  }
  __shared__ Pack<V> shared[rows_threads];
#pragma unroll
  for (int k = 0; k < V; ++k) {
    shared[threadIdx.x].v[k] = (sums[0].v[k] + sums[1].v[k]) + (sums[2].v[k] + sums[3].v[k]);
  }
  for (int half = rows_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (lane < half && lane + half < step) {
#pragma unroll
      for (int k = 0; k < V; ++k) {
        shared[threadIdx.x].v[k] += shared[threadIdx.x + half * pieces].v[k];
      }
    }
  }
  if (lane == 0) {
#pragma unroll
    for (int k = 0; k < V; ++k) {
      if (c + k < columns) {
        partial[static_cast<std::int64_t>(blockIdx.x) * columns + c + k] = shared[threadIdx.x].v[k];
      }
    }
  }
}

// 32 threads add the strips of one entry, eight entries per block.
constexpr int sum_lanes = 32, sum_entries = 8;

__global__ void sum_kernel(const double* partial, std::int64_t strips, std::int64_t entries,
                           double* sums, int tile, int columns) {
  const int lane = threadIdx.x / sum_entries, which = threadIdx.x % sum_entries;
  const std::int64_t entry = static_cast<std::int64_t>(blockIdx.x) * sum_entries + which;
  const bool skipped = tile > 0 && entry / columns / tile > entry % columns / tile;
  double sum = 0.0;
  if (entry < entries && !skipped) {
#pragma unroll 8
    for (std::int64_t s = lane; s < strips; s += sum_lanes) sum += partial[s * entries + entry];
  }
  __shared__ double shared[sum_lanes][sum_entries];
  shared[lane][which] = sum;
  for (int half = sum_lanes / 2; half > 0; half /= 2) {
    __syncthreads();
    if (lane < half) shared[lane][which] += shared[lane + half][which];
  }
  if (lane == 0 && entry < entries) sums[entry] = shared[0][which];
}

struct Finite : NoScalars {
  InBlock x;
  int* found;
  Finite(ConstCudaView x, int* found) : x(x), found(found) {}

  template <int W>
  __device__ Pack<W> load(std::int64_t i, int c) const {
    return x.at<W>(i, c);
  }
  template <int W>
  __device__ void store(std::int64_t, int, const Pack<W>& p, int) const {
#pragma unroll
    for (int k = 0; k < W; ++k) {
      if (!isfinite(p.v[k])) *found = 1;
    }
  }
};

}  // namespace

void sum_partials(const double* partial, std::int64_t strips, std::int64_t entries, double* sums,
                  int tile, int columns) {
  if (entries == 0) return;
  sum_kernel<<<static_cast<unsigned>((entries + sum_entries - 1) / sum_entries),
               sum_lanes * sum_entries>>>(partial, strips, entries, sums, tile, columns);
  check_launch("sum_partials");
}

void column_dots(ConstCudaView x, ConstCudaView y, double* sums) {
  const std::int64_t rows = x.rows(), columns = x.cols();
  if (columns == 0) return;
  if (rows == 0) {
    std::fill_n(sums, columns, 0.0);
    return;
  }
  const bool aligned = aligned_rows(x) && aligned_rows(y);
  const bool same = x.data() == y.data() && x.stride() == y.stride();
  const RowsShape shape(columns, aligned ? 2 : 1);
  const std::int64_t covered = static_cast<std::int64_t>(shape.rows) * rows_at_once;
  const std::int64_t strips = std::clamp<std::int64_t>(rows / covered, 1, most_strips);
  DeviceArray<double> partial(strips * columns), result(columns);
  const dim3 grid(static_cast<unsigned>(strips), static_cast<unsigned>(shape.splits));
  const auto launch = [&](auto kernel) {
    kernel<<<grid, shape.threads()>>>(InBlock(x), InBlock(y), rows, static_cast<int>(columns),
                                      shape.pieces, partial.data());
  };
  if (aligned) {
    launch(same ? dots_kernel<2, true> : dots_kernel<2, false>);
  } else {
    launch(same ? dots_kernel<1, true> : dots_kernel<1, false>);
  }
  check_launch("column_dots");
  sum_partials(partial.data(), strips, columns, result.data());
  result.download(sums);
}

bool all_finite(ConstCudaView x) {
  if (x.rows() == 0 || x.cols() == 0) return true;
  DeviceArray<int> found(1);
  check(cudaMemsetAsync(found.data(), 0, sizeof(int)), "cudaMemsetAsync");
  for_rows(Finite(x, found.data()), x.rows(), x.cols(), aligned_rows(x), "all_finite");
  int any = 0;
  found.download(&any);
  return any == 0;
}

}  // namespace stkr::cuda::kernels
