#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda_block_view.hpp"

// Passes over the rows of blocks that touch every number once.
namespace stkr::cuda {

// W adjacent numbers of a row, moved by one access.
template <int W>
struct Pack {
  double v[W];
};

template <int W>
__device__ inline Pack<W> load_pack(const double* from) {
  Pack<W> pack;
  if constexpr (W == 2) {
    const double2 both = *reinterpret_cast<const double2*>(from);
    pack.v[0] = both.x;
    pack.v[1] = both.y;
  } else {
    pack.v[0] = *from;
  }
  return pack;
}

template <int W>
__device__ inline void store_pack(double* to, const Pack<W>& pack) {
  if constexpr (W == 2) {
    *reinterpret_cast<double2*>(to) = make_double2(pack.v[0], pack.v[1]);
  } else {
    *to = pack.v[0];
  }
}

// A view as kernels see it.
struct InBlock {
  InBlock() = default;
  InBlock(ConstCudaView view) : data(view.data()), stride(view.stride()) {}
  template <int W>
  __device__ Pack<W> at(std::int64_t row, int column) const {
    return load_pack<W>(data + row * stride + column);
  }
  const double* data = nullptr;
  std::int64_t stride = 0;
};

struct OutBlock {
  OutBlock(CudaView view) : data(view.data()), stride(view.stride()) {}
  template <int W>
  __device__ Pack<W> at(std::int64_t row, int column) const {
    return load_pack<W>(data + row * stride + column);
  }
  template <int W>
  __device__ void put(std::int64_t row, int column, const Pack<W>& pack) const {
    store_pack(data + row * stride + column, pack);
  }
  double* data;
  std::int64_t stride;
};

// Whether rows can be accessed 16 bytes at a time.
inline bool aligned_rows(ConstCudaView x) {
  return x.cols() > 1 && x.stride() % 2 == 0 &&
         reinterpret_cast<std::uintptr_t>(x.data()) % (2 * sizeof(double)) == 0;
}

constexpr int rows_threads = 256;
constexpr int rows_at_once = 4;  // rows of a thread in flight

// How threads of a block cover columns and rows: `pieces` adjacent pieces of V columns, for as many
// rows as there are threads left.
struct RowsShape {
  RowsShape(std::int64_t columns, int width) {
    const std::int64_t all = (columns + width - 1) / width;
    splits = static_cast<int>((all + rows_threads / 2 - 1) / (rows_threads / 2));
    pieces = static_cast<int>((all + splits - 1) / splits);
    rows = rows_threads / pieces;
  }
  int threads() const { return pieces * rows; }
  int splits;  // blocks per row
  int pieces;
  int rows;
};

// All loads come before the first store, because the compiler must assume that blocks overlap.
template <int W, class Op>
__device__ void rows_body(const Op& op, std::int64_t first, int step, std::int64_t rows, int c) {
  const auto scalars = op.template scalars<W>(c);
  if (first + (rows_at_once - 1) * step < rows) {
    decltype(op.template load<W>(first, c)) values[rows_at_once];
#pragma unroll
    for (int u = 0; u < rows_at_once; ++u) values[u] = op.template load<W>(first + u * step, c);
#pragma unroll
    for (int u = 0; u < rows_at_once; ++u)
      op.template store<W>(first + u * step, c, values[u], scalars);
  } else {
    for (std::int64_t i = first; i < rows; i += step) {
      op.template store<W>(i, c, op.template load<W>(i, c), scalars);
    }
  }
}

template <int V, class Op>
__global__ void __launch_bounds__(rows_threads)
    rows_kernel(const Op op, std::int64_t rows, int columns, int pieces) {
  const int step = blockDim.x / pieces;
  const int c = V * (blockIdx.y * pieces + threadIdx.x % pieces);
  const std::int64_t first =
      static_cast<std::int64_t>(blockIdx.x) * step * rows_at_once + threadIdx.x / pieces;
  if (c >= columns) return;
  if (c + V <= columns) {
    rows_body<V>(op, first, step, rows, c);
  } else {
    rows_body<1>(op, first, step, rows, c);  // the last of an odd number of columns
  }
}

// Calls op for every number of a rows × columns block: load() reads what it needs of a pack,
// store() computes and writes, scalars() reads what belongs to the columns.
template <class Op>
void for_rows(const Op& op, std::int64_t rows, std::int64_t columns, bool aligned,
              const char* name) {
  if (rows == 0 || columns == 0) return;
  const RowsShape shape(columns, aligned ? 2 : 1);
  const std::int64_t covered = static_cast<std::int64_t>(shape.rows) * rows_at_once;
  const dim3 grid(static_cast<unsigned>((rows + covered - 1) / covered),
                  static_cast<unsigned>(shape.splits));
  if (aligned) {
    rows_kernel<2><<<grid, shape.threads()>>>(op, rows, static_cast<int>(columns), shape.pieces);
  } else {
    rows_kernel<1><<<grid, shape.threads()>>>(op, rows, static_cast<int>(columns), shape.pieces);
  }
  check_launch(name);
}

// For operations without a number per column.
struct NoScalars {
  template <int W>
  __device__ int scalars(int) const {
    return 0;
  }
};

}  // namespace stkr::cuda
