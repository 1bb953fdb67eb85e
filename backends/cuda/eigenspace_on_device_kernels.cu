#include "block_algebra_rows.cuh"
#include "eigenspace_on_device_kernels.hpp"

namespace stkr::cuda::kernels {
namespace {

constexpr int warps = 4;

// A warp adds a piece: `pieces_of_row` threads for a row of x, several rows at a time, which are
// added in order at the end.
template <int V>
__global__ void __launch_bounds__(32 * warps)
    pieces_kernel(const double* weight, const std::int64_t* sample, const std::int64_t* start,
                  std::int64_t pieces, InBlock x, int columns, int row_threads, double* partial) {
  const std::int64_t piece = static_cast<std::int64_t>(blockIdx.x) * warps + threadIdx.x / 32;
  if (piece >= pieces) return;
  const int lane = threadIdx.x % 32;
  const int slots = 32 / row_threads, slot = lane / row_threads;
  const int c = V * (blockIdx.y * row_threads + lane % row_threads);
  const std::int64_t begin = start[piece], end = start[piece + 1];
  Pack<V> sum{};
  const auto add = [&]<int W>() {
    constexpr int unrolled = 4;
    for (std::int64_t p = begin + slot; p < end; p += unrolled * slots) {
      double w[unrolled];
      Pack<W> xs[unrolled];
#pragma unroll
      for (int u = 0; u < unrolled; ++u) {
        const std::int64_t q = p + u * slots;
        w[u] = 0.0;
        xs[u] = {};
        if (q < end) {
          const std::int64_t i = sample ? sample[q] : q;
          w[u] = weight[i];
          xs[u] = x.at<W>(i, c);
        }
      }
#pragma unroll
      for (int u = 0; u < unrolled; ++u) {
#pragma unroll
        for (int k = 0; k < W; ++k) sum.v[k] += w[u] * xs[u].v[k];
      }
    }
  };
  if (slot < slots && c < columns) {
    if (c + V <= columns) {
      add.template operator()<V>();
    } else {
      add.template operator()<1>();
    }
  }
  __syncwarp();
  Pack<V> total = sum;
  for (int s = 1; s < slots; ++s) {
#pragma unroll
    for (int k = 0; k < V; ++k) {
      total.v[k] += __shfl_sync(0xffffffff, sum.v[k], (lane + s * row_threads) % 32);
    }
  }
  if (slot > 0) return;
#pragma unroll
  for (int k = 0; k < V; ++k) {
    if (c + k < columns) partial[piece * columns + c + k] = total.v[k];
  }
}

// A block adds the pieces of one group: 32 columns at a time, eight pieces at a time.
constexpr int group_lanes = 8;

__global__ void __launch_bounds__(32 * group_lanes)
    groups_kernel(const double* partial, const std::int64_t* start, OutBlock sums, int columns) {
  const std::int64_t g = blockIdx.x;
  const int c = blockIdx.y * 32 + threadIdx.x % 32, lane = threadIdx.x / 32;
  double sum = 0.0;
  if (c < columns) {
#pragma unroll 8
    for (std::int64_t k = start[g] + lane; k < start[g + 1]; k += group_lanes) {
      sum += partial[k * columns + c];
    }
  }
  __shared__ double shared[group_lanes][32];
  shared[lane][threadIdx.x % 32] = sum;
  __syncthreads();
  if (lane > 0 || c >= columns) return;
  for (int l = 1; l < group_lanes; ++l) sum += shared[l][threadIdx.x % 32];
  sums.data[g * sums.stride + c] = sum;
}

}  // namespace

void sum_pieces(const double* weight, const std::int64_t* sample, const std::int64_t* start,
                std::int64_t pieces, ConstCudaView x, double* partial) {
  if (pieces == 0 || x.cols() == 0) return;
  const bool aligned = aligned_rows(x);
  const std::int64_t all = aligned ? (x.cols() + 1) / 2 : x.cols();
  const std::int64_t splits = (all + 31) / 32;
  const auto row_threads = static_cast<int>((all + splits - 1) / splits);
  const dim3 grid(static_cast<unsigned>((pieces + warps - 1) / warps),
                  static_cast<unsigned>(splits));
  const auto launch = [&](auto kernel) {
    kernel<<<grid, 32 * warps>>>(weight, sample, start, pieces, InBlock(x),
                                 static_cast<int>(x.cols()), row_threads, partial);
  };
  launch(aligned ? pieces_kernel<2> : pieces_kernel<1>);
  check_launch("sum_pieces");
}

void sum_groups(const double* partial, const std::int64_t* start, CudaView sums) {
  if (sums.rows() == 0 || sums.cols() == 0) return;
  const dim3 grid(static_cast<unsigned>(sums.rows()),
                  static_cast<unsigned>((sums.cols() + 31) / 32));
  groups_kernel<<<grid, 32 * group_lanes>>>(partial, start, sums, static_cast<int>(sums.cols()));
  check_launch("sum_groups");
}

}  // namespace stkr::cuda::kernels
