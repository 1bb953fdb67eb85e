#pragma once

#include "kernel_product_tiles.cuh"

// Kernel products in half precision for few features: the points of 256 rows stay in shared memory
// while tiles of columns pass by.
namespace stkr::cuda {

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// Where values are sums of two halves, shared memory is the busiest unit: there the leading halves
// of 64 rows, and their tail, stay in registers.
template <class Shape>
struct RowFragments {
  static constexpr bool used = Shape::halves == 2;
  std::uint32_t values[used ? Shape::features / 16 + 1 : 1][4];

  // 64 rows from first_row on, of a resident side of 256.
  __device__ void load(std::uint32_t rows, int first_row) {
    if constexpr (used) {
      const int lane = threadIdx.x % 32;
      // Matrices in the order: rows 0-7 and 8-15 of a warp, then the next 8 features of both.
      const int eight = (first_row + threadIdx.x / 32 % 4 * 16) / 8 + lane / 8 % 2;
      const int within = lane / 16 * 128 + lane % 8 * 16;
      constexpr int row_tail = tile_rows * Shape::features * 2;
#pragma unroll
      for (int k = 0; k < Shape::features / 16; ++k) {
        load_matrices(values[k], rows + eight * Shape::chunk * 16 + k * 256 + within);
      }
      load_matrices(values[Shape::features / 16],
                    rows + row_tail + eight * 8 * Shape::tail_row + within);
    }
  }
};

// acc = the inner products of 64 rows (from `rows` on, a resident side of 256) with a tile of
// columns.
template <class Shape>
__device__ __forceinline__ void multiply_points(float (&acc)[Shape::columns / 2],
                                                const RowFragments<Shape>& fragments,
                                                std::uint32_t rows, int first_row,
                                                std::uint32_t columns) {
  constexpr int row = Shape::chunk * 2;  // bytes of a row in a chunk
  constexpr int chunks = Shape::features / Shape::chunk;
  static_assert(chunks == 1 || Shape::halves == 1);
  constexpr int row_tail = tile_rows * Shape::features * 2;
  constexpr int column_tail = Shape::columns * Shape::features * 2;
  constexpr int row_trailing = row_tail + tile_rows * Shape::tail_row;
  constexpr int column_trailing = column_tail + Shape::columns * Shape::tail_row;
  const MatrixDescriptor a(rows + first_row * row, 128, 8 * row);
  const MatrixDescriptor b(columns, 128, 8 * row);
  const MatrixDescriptor tail_a(rows + row_tail + first_row * Shape::tail_row, 128,
                                8 * Shape::tail_row);
  const MatrixDescriptor tail_b(columns + column_tail + 128, 128, 8 * Shape::tail_row);
  mma_fence();
  if constexpr (Shape::halves == 2) {
    // The small products first: sums are rounded toward zero relative to their size.
    using FromRegisters = Wgmma<Shape::columns, true>;
#pragma unroll
    for (int k = 0; k < Shape::features / 16; ++k) {
      FromRegisters::multiply(acc, fragments.values[k], b.at(column_trailing + k * 256), k > 0);
      Wgmma<Shape::columns, false>::multiply(acc, a.at(row_trailing + k * 256), b.at(k * 256), 1);
    }
#pragma unroll
    for (int k = 0; k < Shape::features / 16; ++k) {
      FromRegisters::multiply(acc, fragments.values[k], b.at(k * 256), 1);
    }
    // (a, b) of the rows with (b, a) of the columns.
    FromRegisters::multiply(acc, fragments.values[Shape::features / 16], tail_b.at(0), 1);
  } else {
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
#pragma unroll
      for (int k = 0; k < Shape::chunk / 16; ++k) {
        Wgmma<Shape::columns, false>::multiply(acc, a.at(c * tile_rows * row + k * 256),
                                               b.at(c * Shape::columns * row + k * 256),
                                               c > 0 || k > 0);
      }
    }
    Wgmma<Shape::columns, false>::multiply(acc, tail_a.at(0), tail_b.at(0), 1);
  }
  mma_commit();
}

template <class Shape, bool Rbf>
__device__ void evaluate_resident(const TileProblem<typename Shape::Sum>& problem,
                                  std::uint32_t shared, TileBarriers barriers, int group) {
  constexpr int flush_every = 256 / Shape::columns;
  constexpr int store_every = 16384 / Shape::columns;
  const bool leader = kept(threadIdx.x % 32) == 0;
  const std::uint32_t offset = kept(shared + Shape::values_at + copy_offset<Shape>());
  const std::uint32_t rows = shared + Shape::rows_at;
  const auto stage_at = [&](std::uint32_t n) {
    return shared + Shape::stages_at + n % Shape::stages * Shape::stage;
  };
  const auto parity_of = [](std::uint32_t n) { return n / Shape::stages & 1; };
  std::uint32_t used = 0;    // tiles so far, over all units
  std::uint32_t copied = 0;  // those with a transposed copy
  int round = 0;
  float a[Shape::columns / 2];
  float b[Shape::columns / 2];
  RowSums<Shape> row_a;
  RowSums<Shape> row_b;
  for (int u = TileUnit<Shape>::first(); u < problem.schedule.units();
       u += TileUnit<Shape>::step(), ++round) {
    const TileUnit<Shape> unit(problem.schedule, u);
    typename Shape::Sum* sums =
        problem.row_sums + (static_cast<std::size_t>(unit.strip) * problem.rows +
                            static_cast<std::size_t>(unit.row_block) * tile_rows + group * 128) *
                               vector_width;
    row_a.clear();
    row_b.clear();
    bool restart = true;
    barrier_wait(barriers.rows_full(), round & 1);
    RowFragments<Shape> left_a;
    RowFragments<Shape> left_b;
    left_a.load(rows, group * 128);
    left_b.load(rows, group * 128 + 64);
    barrier_wait(barriers.full(used % Shape::stages), parity_of(used));
    multiply_points<Shape>(a, left_a, rows, group * 128, stage_at(used));
    mma_wait<0>();
    for (int tile = unit.begin; tile < unit.end; ++tile) {
      const std::uint32_t stage = stage_at(used);
      const std::uint32_t vectors = stage + Shape::columns * Shape::point_bytes;
      const int distance = unit.distance(tile);
      const bool transposed = problem.schedule.adds_to_columns(distance);
      const bool on_diagonal = problem.schedule.symmetric && distance == 0 &&
                               problem.formula.kind != FormulaKind::polynomial;
      // Of the first of the 64 rows in this tile.
      const int diagonal =
          on_diagonal ? group * 128 - tile % Shape::tiles_per_block * Shape::columns : -32768;
      const auto copy = [&](std::uint32_t block) -> CopyTarget {
        const int buffer = group * Shape::buffers + block % Shape::buffers;
        return {offset + buffer * Shape::values, barriers.values_empty(buffer),
                barriers.values_full(buffer), Shape::buffers == 2 ? copied & 1 : transposed * block,
                transposed};
      };

      keep_below(a);
      multiply_points<Shape>(b, left_b, rows, group * 128 + 64, stage);
      absorb<Shape, Rbf>(a, row_a, restart, vectors, diagonal, problem.formula, copy(0), leader);
      mma_wait<0>();
      keep_below(b);
      // After the last tile, that tile once more: a product that nobody reads is cheaper than a
      // branch between products.
      const bool last = tile + 1 == unit.end;
      const std::uint32_t next = last ? used : used + 1;
      if (!last) barrier_wait(barriers.full(next % Shape::stages), parity_of(next));
      multiply_points<Shape>(a, left_a, rows, group * 128, stage_at(next));
      absorb<Shape, Rbf>(b, row_b, restart, vectors, diagonal + 64, problem.formula, copy(1),
                         leader);
      mma_wait<0>();
      if (leader) barrier_arrive(barriers.empty(used % Shape::stages));
      keep_below(row_a.sums);
      keep_below(row_b.sums);
      const int done = tile + 1 - unit.begin;
      restart = last || done % flush_every == 0;
      if (restart) {
        row_a.flush();
        row_b.flush();
      }
      if (last || done % store_every == 0) {
        row_a.add_to(sums);
        row_b.add_to(sums + 64 * vector_width);
      }
      ++used;
      copied += transposed;
    }
    if (leader) barrier_arrive(barriers.rows_empty());
  }
}

// One thread: keeps the ring of tiles full.
template <class Shape>
__device__ void load_resident(const TileProblem<typename Shape::Sum>& problem, std::uint32_t shared,
                              TileBarriers barriers) {
  // One side of a tile: `count` points from `first` on.
  const auto load_points = [&](std::uint32_t to, const std::uint16_t* leading,
                               const std::uint16_t* trailing, std::size_t all, std::size_t first,
                               int count, std::uint32_t barrier) {
    constexpr int chunks = Shape::features / Shape::chunk;
    for (int c = 0; c < chunks; ++c) {
      bulk_load(to, leading + (c * all + first) * Shape::chunk, count * Shape::chunk * 2, barrier);
      to += count * Shape::chunk * 2;
    }
    bulk_load(to, leading + all * Shape::features + first * HalfLayout::tail,
              count * Shape::tail_row, barrier);
    to += count * Shape::tail_row;
    for (int c = 0; c < chunks && Shape::halves == 2; ++c) {
      bulk_load(to, trailing + (c * all + first) * Shape::chunk, count * Shape::chunk * 2, barrier);
      to += count * Shape::chunk * 2;
    }
  };
  std::uint32_t used = 0;
  int round = 0;
  for (int u = TileUnit<Shape>::first(); u < problem.schedule.units();
       u += TileUnit<Shape>::step(), ++round) {
    const TileUnit<Shape> unit(problem.schedule, u);
    const std::size_t row = static_cast<std::size_t>(unit.row_block) * tile_rows;
    barrier_wait(barriers.rows_empty(), (round & 1) ^ 1);
    const bool symmetric = problem.schedule.symmetric;
    barrier_expect(barriers.rows_full(),
                   Shape::resident_rows + (symmetric ? Shape::row_vectors : 0));
    load_points(shared + Shape::rows_at, problem.row_leading, problem.row_trailing, problem.rows,
                row, tile_rows, barriers.rows_full());
    if (symmetric) {
      bulk_load(shared + Shape::row_vectors_at, problem.row_vectors + row * Shape::width,
                Shape::row_vectors, barriers.rows_full());
    }
    for (int tile = unit.begin; tile < unit.end; ++tile, ++used) {
      const int slot = used % Shape::stages;
      const std::uint32_t to = shared + Shape::stages_at + slot * Shape::stage;
      const std::size_t column =
          static_cast<std::size_t>(unit.column_tile(problem.schedule, tile)) * Shape::columns;
      barrier_wait(barriers.empty(slot), (used / Shape::stages & 1) ^ 1);
      barrier_expect(barriers.full(slot), Shape::stage);
      load_points(to, problem.column_leading, problem.column_trailing, problem.columns, column,
                  Shape::columns, barriers.full(slot));
      bulk_load(to + Shape::columns * Shape::point_bytes,
                problem.column_vectors + column * Shape::width, Shape::column_vectors,
                barriers.full(slot));
    }
  }
}

#endif

template <class Shape, bool Rbf>
__global__ void __launch_bounds__(tile_threads, 1)
    resident_product(const __grid_constant__ TileProblem<typename Shape::Sum> problem) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ __align__(1024) unsigned char memory[];
  const std::uint32_t shared = shared_address(memory);
  const TileBarriers barriers{shared};
  const int group = threadIdx.x / 128;
  if (threadIdx.x == 0) barriers.init(Shape::stages, 1);
  __syncthreads();
  if (group < 2) {
    more_registers<208>();
    evaluate_resident<Shape, Rbf>(problem, shared, barriers, group);
  } else if (group == 2) {
    fewer_registers<56>();
    multiply_transposed<Shape>(problem, shared, memory, barriers);
  } else {
    fewer_registers<40>();
    if (threadIdx.x == 384) load_resident<Shape>(problem, shared, barriers);
    if (threadIdx.x == 416 || threadIdx.x == 448) {
      add_results<Shape>(problem, shared, barriers, threadIdx.x == 448);
    }
  }
#endif
}

}  // namespace stkr::cuda
