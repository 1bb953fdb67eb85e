#include <algorithm>

#include "block_algebra_kernels.hpp"
#include "block_algebra_mma.cuh"
#include "block_algebra_rows.cuh"

// Xᵀ Y for tall X and Y on the tensor cores in double precision. Their operands are 4 × 8 pieces of
// X and Y as they lie in memory, so nothing is staged. A block adds a strip of rows for one tile of
// the product; another kernel adds the strips.
namespace stkr::cuda::kernels {
namespace {

constexpr int warps = 4;

// A tile has 8 MT × 8 NT entries.
template <int MT, int NT>
__global__ void __launch_bounds__(32 * warps)
    tall_kernel(InBlock x, InBlock y, std::int64_t rows, int x_columns, int y_columns, Part part,
                int y_tiles, double* partial) {
  // Tiles of one strip run at the same time, so that they find its rows in the cache.
  const int x_tile = blockIdx.x / y_tiles, y_tile = blockIdx.x % y_tiles;
  if (part == Part::upper_tiles && x_tile > y_tile) return;
  constexpr int steps = MT * NT > 8 ? 2 : 4;  // of 4 rows, whose loads are in flight together
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int x_first = x_tile * 8 * MT, y_first = y_tile * 8 * NT;
  const std::int64_t begin = rows * blockIdx.y / gridDim.y;
  const std::int64_t end = rows * (blockIdx.y + 1) / gridDim.y;
  const int xc = x_first + lane / 4, yc = y_first + lane / 4;
  double d[MT][NT][2] = {};
  for (std::int64_t i = begin + 4 * steps * warp; i < end; i += 4 * steps * warps) {
    double a[steps][MT], b[steps][NT];
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      const std::int64_t row = i + 4 * s + lane % 4;
      const bool inside = row < end;
      const double *xs = x.data + row * x.stride + xc, *ys = y.data + row * y.stride + yc;
#pragma unroll
      for (int m = 0; m < MT; ++m) a[s][m] = inside && xc + 8 * m < x_columns ? xs[8 * m] : 0.0;
#pragma unroll
      for (int n = 0; n < NT; ++n) b[s][n] = inside && yc + 8 * n < y_columns ? ys[8 * n] : 0.0;
    }
#pragma unroll
    for (int s = 0; s < steps; ++s) {
#pragma unroll
      for (int m = 0; m < MT; ++m) {
#pragma unroll
        for (int n = 0; n < NT; ++n) multiply_add_8x8x4(d[m][n], a[s][m], b[s][n]);
      }
    }
  }
  // The sum of the warps, in order.
  __shared__ double shared[warps][8 * MT][8 * NT];
#pragma unroll
  for (int m = 0; m < MT; ++m) {
#pragma unroll
    for (int n = 0; n < NT; ++n) {
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        shared[warp][8 * m + lane / 4][8 * n + 2 * (lane % 4) + k] = d[m][n][k];
      }
    }
  }
  __syncthreads();
  double* to = partial + static_cast<std::int64_t>(blockIdx.y) * x_columns * y_columns;
  for (int e = threadIdx.x; e < 64 * MT * NT; e += 32 * warps) {
    const int r = e / (8 * NT), c = e % (8 * NT);
    if (x_first + r >= x_columns || y_first + c >= y_columns) continue;
    double sum = shared[0][r][c];
#pragma unroll
    for (int w = 1; w < warps; ++w) sum += shared[w][r][c];
    to[static_cast<std::int64_t>(x_first + r) * y_columns + y_first + c] = sum;
  }
}

// In units of 8 columns.
int tile_of(std::int64_t columns) { return columns <= 8 ? 1 : columns <= 16 ? 2 : 4; }

struct TallShape {
  TallShape(std::int64_t rows, std::int64_t x_columns, std::int64_t y_columns)
      : m(tile_of(x_columns)),
        n(tile_of(y_columns)),
        x_tiles((x_columns + 8 * m - 1) / (8 * m)),
        y_tiles((y_columns + 8 * n - 1) / (8 * n)) {
    // About 1,000 blocks, with at least 256 rows each; partial products of a wide X and Y then
    // take a few times the memory of the product.
    const std::int64_t wanted = (1024 + x_tiles * y_tiles - 1) / (x_tiles * y_tiles);
    strips = std::clamp<std::int64_t>(rows / 256, 1, wanted);
  }
  int m, n;
  std::int64_t x_tiles, y_tiles, strips;
};

template <int MT, int NT>
void launch(const TallShape& shape, ConstCudaView x, ConstCudaView y, Part part, double* partial) {
  const dim3 grid(static_cast<unsigned>(shape.x_tiles * shape.y_tiles),
                  static_cast<unsigned>(shape.strips));
  tall_kernel<MT, NT><<<grid, 32 * warps>>>(x, y, x.rows(), static_cast<int>(x.cols()),
                                            static_cast<int>(y.cols()), part,
                                            static_cast<int>(shape.y_tiles), partial);
}

template <int MT>
void launch(const TallShape& shape, ConstCudaView x, ConstCudaView y, Part part, double* partial) {
  if (shape.n == 1) launch<MT, 1>(shape, x, y, part, partial);
  if (shape.n == 2) launch<MT, 2>(shape, x, y, part, partial);
  if (shape.n == 4) launch<MT, 4>(shape, x, y, part, partial);
}

}  // namespace

int tall_product_tile(std::int64_t columns) { return 8 * tile_of(columns); }

std::uint64_t tall_product_bytes(std::int64_t rows, std::int64_t x_columns,
                                 std::int64_t y_columns) {
  if (x_columns == 0 || y_columns == 0) return 0;
  const TallShape shape(rows, x_columns, y_columns);
  return sizeof(double) * static_cast<std::uint64_t>((shape.strips + 1) * x_columns * y_columns);
}

void tall_product(ConstCudaView x, ConstCudaView y, Part part, double* product) {
  const std::int64_t entries = x.cols() * y.cols();
  if (entries == 0) return;
  if (x.rows() == 0) {
    std::fill_n(product, entries, 0.0);
    return;
  }
  const TallShape shape(x.rows(), x.cols(), y.cols());
  DeviceArray<double> partial(shape.strips * entries), result(entries);
  if (shape.m == 1) launch<1>(shape, x, y, part, partial.data());
  if (shape.m == 2) launch<2>(shape, x, y, part, partial.data());
  if (shape.m == 4) launch<4>(shape, x, y, part, partial.data());
  check_launch("tall_product");
  sum_partials(partial.data(), shape.strips, entries, result.data(),
               part == Part::upper_tiles ? 8 * shape.m : 0, static_cast<int>(y.cols()));
  result.download(product);
}

}  // namespace stkr::cuda::kernels
