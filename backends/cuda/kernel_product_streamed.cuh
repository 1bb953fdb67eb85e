#pragma once

#include "kernel_product_tiles.cuh"

// Kernel products in half precision for many features: chunks of 64 features of rows and columns
// pass through a ring in shared memory, as in a matrix product. Where values are sums of two
// halves, the leading halves of a chunk are followed by the trailing ones. The last chunk is the
// tail. What limits such products is the bandwidth of the cache between memory and multiprocessors:
// two blocks in a cluster take the same rows, and each loads half of them for both.
namespace stkr::cuda {

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// acc += 64 rows of one slot times the columns of another, over a chunk.
template <class Shape>
__device__ __forceinline__ void multiply_chunk(float (&acc)[Shape::columns / 2], int first_row,
                                               std::uint32_t row_slot, std::uint32_t column_slot,
                                               bool start) {
  constexpr int row = Shape::point_bytes;
  const MatrixDescriptor a(row_slot + first_row * row, 128, 8 * row);
  const MatrixDescriptor b(column_slot + tile_rows * row, 128, 8 * row);
#pragma unroll
  for (int k = 0; k < Shape::chunk / 16; ++k) {
    Wgmma<Shape::columns, false>::multiply(acc, a.at(k * 256), b.at(k * 256), k > 0 || !start);
  }
}

template <class Shape, bool Rbf>
__device__ void evaluate_streamed(const TileProblem<typename Shape::Sum>& problem,
                                  std::uint32_t shared, TileBarriers barriers, int group) {
  constexpr int flush_every = 256 / Shape::columns;
  constexpr int store_every = 16384 / Shape::columns;
  const bool leader = kept(threadIdx.x % 32) == 0;
  const std::uint32_t offset = kept(shared + Shape::values_at + copy_offset<Shape>());
  const int first_row = group * 128;
  const auto slot_at = [&](std::uint32_t n) {
    return shared + Shape::stages_at + n % Shape::stages * Shape::stage;
  };
  const auto wait_for = [&](std::uint32_t n) {
    barrier_wait(barriers.full(n % Shape::stages), n / Shape::stages & 1);
  };
  const std::uint32_t rank = cluster_rank();
  const auto release = [&](std::uint32_t n) {
    if (!leader) return;
    const std::uint32_t empty = barriers.empty(n % Shape::stages);
    barrier_arrive(empty);
    barrier_arrive_at_peer(barrier_of_peer(empty, rank));
  };
  std::uint32_t slot = 0;    // slots used so far, over all units
  std::uint32_t used = 0;    // tiles
  std::uint32_t copied = 0;  // those with a transposed copy
  float a[Shape::columns / 2];
  float b[Shape::columns / 2];
  RowSums<Shape> row_a;
  RowSums<Shape> row_b;
  for (int u = TileUnit<Shape>::first(); u < problem.schedule.units();
       u += TileUnit<Shape>::step()) {
    const TileUnit<Shape> unit(problem.schedule, u);
    typename Shape::Sum* sums =
        problem.row_sums + ((unit.strip * std::size_t{2} + rank) * problem.rows +
                            static_cast<std::size_t>(unit.row_block) * tile_rows + first_row) *
                               vector_width;
    row_a.clear();
    row_b.clear();
    bool restart = true;
    for (int tile = unit.begin; tile < unit.end; tile += Shape::cluster, ++used) {
      for (int chunk = 0; chunk < problem.chunks; ++chunk) {
        wait_for(slot);
        mma_fence();
        multiply_chunk<Shape>(a, first_row, slot_at(slot), slot_at(slot), chunk == 0);
        multiply_chunk<Shape>(b, first_row + 64, slot_at(slot), slot_at(slot), chunk == 0);
        mma_commit();
        // The slots of the chunk before are free once its products are done.
        mma_wait<1>();
        if (chunk > 0) {
          for (int back = 1; back <= Shape::halves; ++back) release(slot - back);
        }
        ++slot;
        if constexpr (Shape::halves == 2) {
          wait_for(slot);
          mma_fence();
          multiply_chunk<Shape>(a, first_row, slot_at(slot - 1), slot_at(slot), false);
          multiply_chunk<Shape>(a, first_row, slot_at(slot), slot_at(slot - 1), false);
          multiply_chunk<Shape>(b, first_row + 64, slot_at(slot - 1), slot_at(slot), false);
          multiply_chunk<Shape>(b, first_row + 64, slot_at(slot), slot_at(slot - 1), false);
          mma_commit();
          ++slot;
        }
      }
      wait_for(slot);
      mma_fence();
      const auto multiply_tail = [&](float(&acc)[Shape::columns / 2], int row) {
        const MatrixDescriptor left(slot_at(slot) + row * Shape::tail_row, 128,
                                    8 * Shape::tail_row);
        const MatrixDescriptor right(slot_at(slot) + tile_rows * Shape::tail_row + 128, 128,
                                     8 * Shape::tail_row);
        Wgmma<Shape::columns, false>::multiply(acc, left.at(0), right.at(0), 1);
      };
      multiply_tail(a, first_row);
      multiply_tail(b, first_row + 64);
      mma_commit();
      mma_wait<0>();
      for (int back = 0; back <= Shape::halves; ++back) release(slot - back);
      ++slot;
      keep_below(a);

      const int distance = unit.distance(tile);
      const bool transposed = problem.schedule.adds_to_columns(distance);
      const bool on_diagonal = problem.schedule.symmetric && distance == 0 &&
                               problem.formula.kind != FormulaKind::polynomial;
      const int diagonal =
          on_diagonal ? first_row - tile % Shape::tiles_per_block * Shape::columns : -32768;
      const auto copy = [&](std::uint32_t block) -> CopyTarget {
        const int buffer = group * Shape::buffers + block % Shape::buffers;
        return {offset + buffer * Shape::values, barriers.values_empty(buffer),
                barriers.values_full(buffer), Shape::buffers == 2 ? copied & 1 : transposed * block,
                transposed};
      };
      const std::uint32_t vectors = shared + Shape::vectors_at + used % 2 * Shape::column_vectors;
      barrier_wait(barriers.vectors_full(used % 2), used / 2 & 1);
      absorb<Shape, Rbf>(a, row_a, restart, vectors, diagonal, problem.formula, copy(0), leader);
      mma_wait<0>();
      keep_below(b);
      absorb<Shape, Rbf>(b, row_b, restart, vectors, diagonal + 64, problem.formula, copy(1),
                         leader);
      mma_wait<0>();
      if (leader) barrier_arrive(barriers.vectors_empty(used % 2));
      keep_below(row_a.sums);
      keep_below(row_b.sums);
      const int done = (tile - unit.begin) / Shape::cluster + 1;
      const bool last = tile + Shape::cluster >= unit.end;
      restart = last || done % flush_every == 0;
      if (restart) {
        row_a.flush();
        row_b.flush();
      }
      if (last || done % store_every == 0) {
        row_a.add_to(sums);
        row_b.add_to(sums + 64 * vector_width);
      }
      copied += transposed;
    }
    if (leader) barrier_arrive(barriers.rows_empty());
  }
}

// One thread: keeps the ring of chunks full.
template <class Shape>
__device__ void load_streamed(const TileProblem<typename Shape::Sum>& problem, std::uint32_t shared,
                              TileBarriers barriers) {
  std::uint32_t slot = 0;
  std::uint32_t used = 0;
  int round = 0;
  const std::uint32_t rank = cluster_rank();
  // `width` values per point of rows and columns. Half of the rows comes from the other block.
  const auto load = [&](const std::uint16_t* rows, const std::uint16_t* columns, std::size_t row,
                        std::size_t column, int width) {
    const int n = slot % Shape::stages;
    const std::uint32_t to = shared + Shape::stages_at + n * Shape::stage;
    barrier_wait(barriers.empty(n), (slot / Shape::stages & 1) ^ 1);
    barrier_expect(barriers.full(n), (tile_rows + Shape::columns) * width * 2);
    const int half_bytes = tile_rows / 2 * width * 2;
    bulk_load_both(to + rank * half_bytes, rows + (row + rank * (tile_rows / 2)) * width,
                   half_bytes, barriers.full(n));
    bulk_load(to + tile_rows * width * 2, columns + column * width, Shape::columns * width * 2,
              barriers.full(n));
    ++slot;
  };
  for (int u = TileUnit<Shape>::first(); u < problem.schedule.units();
       u += TileUnit<Shape>::step(), ++round) {
    const TileUnit<Shape> unit(problem.schedule, u);
    const std::size_t row = static_cast<std::size_t>(unit.row_block) * tile_rows;
    barrier_wait(barriers.rows_empty(), (round & 1) ^ 1);
    if (problem.schedule.symmetric) {
      barrier_expect(barriers.rows_full(), Shape::row_vectors);
      bulk_load(shared + Shape::row_vectors_at, problem.row_vectors + row * Shape::width,
                Shape::row_vectors, barriers.rows_full());
    } else {
      barrier_arrive(barriers.rows_full());
    }
    for (int tile = unit.begin; tile < unit.end; tile += Shape::cluster, ++used) {
      const std::size_t column =
          static_cast<std::size_t>(unit.column_tile(problem.schedule, tile)) * Shape::columns;
      for (std::size_t chunk = 0; chunk < problem.chunks; ++chunk) {
        const std::size_t row_chunk = chunk * problem.rows * Shape::chunk;
        const std::size_t column_chunk = chunk * problem.columns * Shape::chunk;
        load(problem.row_leading + row_chunk, problem.column_leading + column_chunk, row, column,
             Shape::chunk);
        if (Shape::halves == 2) {
          load(problem.row_trailing + row_chunk, problem.column_trailing + column_chunk, row,
               column, Shape::chunk);
        }
      }
      load(problem.row_leading + problem.chunks * std::size_t{problem.rows} * Shape::chunk,
           problem.column_leading + problem.chunks * std::size_t{problem.columns} * Shape::chunk,
           row, column, HalfLayout::tail);
      barrier_wait(barriers.vectors_empty(used % 2), (used / 2 & 1) ^ 1);
      barrier_expect(barriers.vectors_full(used % 2), Shape::column_vectors);
      bulk_load(shared + Shape::vectors_at + used % 2 * Shape::column_vectors,
                problem.column_vectors + column * Shape::width, Shape::column_vectors,
                barriers.vectors_full(used % 2));
    }
  }
}

#endif

template <class Shape, bool Rbf>
__global__ void __launch_bounds__(tile_threads, 1)
    streamed_product(const __grid_constant__ TileProblem<typename Shape::Sum> problem) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ __align__(1024) unsigned char memory[];
  const std::uint32_t shared = shared_address(memory);
  const TileBarriers barriers{shared};
  const int group = threadIdx.x / 128;
  if (threadIdx.x == 0) barriers.init(Shape::stages, Shape::cluster);
  cluster_sync();
  if (group < 2) {
    more_registers<208>();
    evaluate_streamed<Shape, Rbf>(problem, shared, barriers, group);
  } else if (group == 2) {
    fewer_registers<56>();
    multiply_transposed<Shape>(problem, shared, memory, barriers);
  } else {
    fewer_registers<40>();
    if (threadIdx.x == 384) load_streamed<Shape>(problem, shared, barriers);
    if (threadIdx.x == 416 || threadIdx.x == 448) {
      add_results<Shape>(problem, shared, barriers, threadIdx.x == 448);
    }
  }
  cluster_sync();  // the other block may still signal barriers of this one
#endif
}

}  // namespace stkr::cuda
