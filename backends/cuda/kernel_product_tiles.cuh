#pragma once

#include "kernel_epilogue.cuh"
#include "kernel_product_async.cuh"
#include "kernel_product_turns.hpp"
#include "kernel_product_wgmma.cuh"

// Kernel products in half precision with the tensor cores of compute capability 9.0.
//
// A block of four warpgroups takes 256 rows and goes through tiles of columns. Two warpgroups
// evaluate 128 rows each, as two blocks a and b of 64: the inner products of one are formed while
// the other is turned into kernel values P. They multiply P with the vectors of the columns from
// registers, and leave a transposed copy of P in shared memory. The third multiplies that copy with
// the vectors of the rows: by symmetry every tile is evaluated once and used twice. In the fourth,
// one thread loads tiles and another adds the results for columns to device memory when it is their
// turn.
namespace stkr::cuda {

inline constexpr int tile_rows = packed_row_block;
inline constexpr int vector_width = 16;  // columns of vectors at a time
inline constexpr int tile_threads = 512;

// Sums of products: in the memory of one strip for rows and for columns.
template <class Sum>
struct TileProblem {
  const std::uint16_t* row_leading;
  const std::uint16_t* row_trailing;
  const std::uint16_t* column_leading;
  const std::uint16_t* column_trailing;
  const std::uint16_t* row_vectors;  // used if symmetric
  const std::uint16_t* column_vectors;
  Sum* row_sums;     // strips × Shape::cluster × rows × vector_width, zero at first
  Sum* column_sums;  // strips × columns × vector_width, zero at first
  unsigned* turns;   // strips × column tiles, zero at first
  std::uint32_t rows;
  std::uint32_t columns;
  int chunks;  // of features, if they are streamed
  TileSchedule schedule;
  FormulaOnDevice formula;
};

// Halves: 1, or 2 for values that are sums of two halves. Columns: of a tile. Features: padded, or
// 0 if they are streamed in chunks. Stages: of the ring of tiles (or chunks). Buffers: transposed
// copies of P per evaluating warpgroup, 2 or 1.
template <int Halves_, int Columns_, int Features_, int Stages_, int Buffers_>
struct TileShape {
  static constexpr int halves = Halves_;
  static constexpr int columns = Columns_;
  static constexpr bool streamed = Features_ == 0;
  static constexpr int features = streamed ? 64 : Features_;
  static constexpr int chunk = features < 64 ? features : 64;
  static constexpr int stages = Stages_;
  static constexpr int buffers = Buffers_;
  // Streamed features are read by pairs of blocks with the same rows: every other tile each.
  static constexpr int cluster = streamed ? 2 : 1;
  static constexpr int tiles_per_block = tile_rows / columns;
  static constexpr int width = vector_width * halves;  // of packed vectors
  using Sum = std::conditional_t<halves == 1, float, double>;

  // Bytes. A resident side of points is: leading chunks, tail, trailing chunks. When streamed, a
  // slot holds one chunk (or tail) of the rows and then that of the columns.
  static constexpr int tail_row = 2 * HalfLayout::tail;
  static constexpr int point_bytes = streamed ? 2 * chunk : 2 * features * halves + tail_row;
  static constexpr int resident_rows = streamed ? 0 : tile_rows * point_bytes;
  static constexpr int row_vectors = tile_rows * width * 2;
  static constexpr int column_vectors = columns * width * 2;
  static constexpr int stage =
      streamed ? (tile_rows + columns) * point_bytes : columns * point_bytes + column_vectors;
  static constexpr int vector_stages = streamed ? 2 : 0;
  static constexpr int values = 64 * columns * 2 * halves;
  static constexpr int results = columns * vector_width * static_cast<int>(sizeof(Sum));

  static constexpr int rows_at = 1024;  // after the barriers
  static constexpr int row_vectors_at = rows_at + resident_rows;
  static constexpr int stages_at = row_vectors_at + row_vectors;
  static constexpr int vectors_at = stages_at + stages * stage;
  static constexpr int values_at = vectors_at + vector_stages * column_vectors;
  static constexpr int results_at = values_at + 2 * buffers * values;
  static constexpr int shared_bytes = results_at + 2 * results;
  static_assert(shared_bytes <= 227 * 1024);
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// Addresses of barriers in shared memory.
struct TileBarriers {
  std::uint32_t base;
  __device__ std::uint32_t rows_full() const { return base; }
  __device__ std::uint32_t rows_empty() const { return base + 8; }
  __device__ std::uint32_t full(int stage) const { return base + 16 + 16 * stage; }
  __device__ std::uint32_t empty(int stage) const { return base + 24 + 16 * stage; }
  __device__ std::uint32_t values_full(int buffer) const { return base + 256 + 16 * buffer; }
  __device__ std::uint32_t values_empty(int buffer) const { return base + 264 + 16 * buffer; }
  __device__ std::uint32_t results_full(int buffer) const { return base + 384 + 16 * buffer; }
  __device__ std::uint32_t results_empty(int buffer) const { return base + 392 + 16 * buffer; }
  __device__ std::uint32_t vectors_full(int stage) const { return base + 512 + 16 * stage; }
  __device__ std::uint32_t vectors_empty(int stage) const { return base + 520 + 16 * stage; }

  __device__ void init(int stages, int cluster) const {
    barrier_init(rows_full(), 1);
    barrier_init(rows_empty(), 12);  // the warps that read rows or their vectors
    for (int stage = 0; stage < stages; ++stage) {
      barrier_init(full(stage), 1);
      barrier_init(empty(stage), 8 * cluster);
    }
    for (int buffer = 0; buffer < 4; ++buffer) {
      barrier_init(values_full(buffer), 4);
      barrier_init(values_empty(buffer), 4);
    }
    for (int buffer = 0; buffer < 2; ++buffer) {
      barrier_init(results_full(buffer), 4);
      barrier_init(results_empty(buffer), 1);
      barrier_init(vectors_full(buffer), 1);
      barrier_init(vectors_empty(buffer), 8);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
};

// One unit of a schedule: some tiles of a row block, numbered by their distance from it. A block of
// a cluster takes every Shape::cluster-th of them.
template <class Shape>
struct TileUnit {
  int strip;
  int row_block;
  int begin;
  int end;

  __device__ TileUnit(const TileSchedule& schedule, int unit)
      : strip(unit / schedule.row_blocks),
        row_block(unit % schedule.row_blocks),
        begin(schedule.strip_begin(strip) * Shape::tiles_per_block + blockIdx.x % Shape::cluster),
        end(schedule.strip_begin(strip + 1) * Shape::tiles_per_block) {}
  __device__ static int first() { return blockIdx.x / Shape::cluster; }
  __device__ static int step() { return gridDim.x / Shape::cluster; }
  __device__ int distance(int tile) const { return tile / Shape::tiles_per_block; }
  __device__ int column_tile(const TileSchedule& schedule, int tile) const {
    return schedule.column_block(row_block, distance(tile)) * Shape::tiles_per_block +
           tile % Shape::tiles_per_block;
  }
};

// Registers that tensor cores write must not be used before the wait that is above this.
template <int Count>
__device__ inline void keep_below(float (&values)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(values[i])::"memory");
}

// Sums of 64 rows in a warpgroup. Tensor cores round sums toward zero, so that long sums drift:
// after 256 columns they are added to the totals.
template <class Shape>
struct RowSums {
  float sums[8 * Shape::halves];
  float totals[8];

  __device__ void clear() {
#pragma unroll
    for (float& total : totals) total = 0.0f;
  }
  __device__ void flush() {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      totals[i] += Shape::halves == 2 ? sums[i] + sums[(8 + i) % (8 * Shape::halves)] : sums[i];
    }
  }
  // To memory that no other thread writes.
  __device__ void add_to(typename Shape::Sum* rows) {
    const int lane = threadIdx.x % 32;
    const int row = threadIdx.x / 32 % 4 * 16 + lane / 4;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      rows[(row + i / 2 % 2 * 8) * vector_width + i / 4 * 8 + lane % 4 * 2 + i % 2] += totals[i];
    }
    clear();
  }
};

// Where a warpgroup leaves the transposed copy of its kernel values.
struct CopyTarget {
  std::uint32_t address;  // of this lane's part
  std::uint32_t empty;
  std::uint32_t full;
  std::uint32_t parity;  // of the use
  bool wanted;           // else nobody reads it
};

// The part of a copy that a lane addresses for the first 16 columns.
template <class Shape>
__device__ inline std::uint32_t copy_offset() {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32 % 4;
  return (2 * warp + lane / 8 % 2) * Shape::columns * 16 + (lane / 16 * 8 + lane % 8) * 16;
}

// Turns accumulators of 64 rows × Shape::columns into kernel values, leaves a transposed copy, and
// starts their product with the vectors of the columns. Row r of the block meets itself in column
// r + diagonal of the tile.
template <class Shape, bool Rbf>
__device__ __forceinline__ void absorb(float (&acc)[Shape::columns / 2], RowSums<Shape>& rows,
                                       bool restart, std::uint32_t vectors, int diagonal,
                                       const FormulaOnDevice& formula, const CopyTarget& copy,
                                       bool leader) {
  constexpr int count = Shape::columns / 2;
  if (diagonal > -Shape::columns) {
    const int lane = threadIdx.x % 32;
    const int first = threadIdx.x / 32 % 4 * 16 + lane / 4 - lane % 4 * 2 + diagonal;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      if (first + i / 2 % 2 * 8 - i / 4 * 8 - i % 2 == 0) acc[i] = accumulator_at_zero<Rbf>;
    }
  }
  // Also without a reader, so that there is no branch among the values.
  barrier_wait(copy.empty, copy.parity ^ 1);
  std::uint32_t leading[count / 2];
  std::uint32_t trailing[Shape::halves == 2 ? count / 2 : 4];
#pragma unroll
  for (int block = 0; block < count / 8; ++block) {
#pragma unroll
    for (int i = 4 * block; i < 4 * block + 4; ++i) {
      const float x = shifted_value<Rbf>(acc[2 * i], formula);
      const float y = shifted_value<Rbf>(acc[2 * i + 1], formula);
      const __half2 pair = __floats2half2_rn(x, y);
      leading[i] = reinterpret_cast<const std::uint32_t&>(pair);
      if constexpr (Shape::halves == 2) {
        const float2 rounded = __half22float2(pair);
        const __half2 rest = __floats2half2_rn(x - rounded.x, y - rounded.y);
        trailing[i] = reinterpret_cast<const std::uint32_t&>(rest);
      }
    }
    store_transposed(copy.address + block * 256, leading + 4 * block);
    if constexpr (Shape::halves == 2) {
      store_transposed(copy.address + block * 256 + Shape::values / 2, trailing + 4 * block);
    }
  }
  constexpr int eight = Shape::width * 16;  // bytes of the vectors of 8 columns
  const MatrixDescriptor b(vectors, eight, 128);
  mma_fence();
#pragma unroll
  for (int k = 0; k < Shape::columns / 16; ++k) {
    Wgmma<Shape::width, true>::multiply(rows.sums, leading + 4 * k, b.at(2 * k * eight),
                                        k > 0 || !restart);
    if constexpr (Shape::halves == 2) {
      Wgmma<vector_width, true>::multiply(rows.sums, trailing + 4 * k, b.at(2 * k * eight), 1);
    }
  }
  mma_commit();
  if (!copy.wanted) return;
  fence_proxy_shared();
  __syncwarp();
  if (leader) barrier_arrive(copy.full);
}

// The third warpgroup: Pᵀ V for the tiles that count for their columns too.
template <class Shape>
__device__ void multiply_transposed(const TileProblem<typename Shape::Sum>& problem,
                                    std::uint32_t shared, unsigned char* memory,
                                    TileBarriers barriers) {
  constexpr int blocks = Shape::columns / 64;
  constexpr int eight = Shape::width * 16;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32 % 4;
  std::uint32_t uses = 0;  // tiles so far
  int round = 0;
  for (int u = TileUnit<Shape>::first(); u < problem.schedule.units();
       u += TileUnit<Shape>::step(), ++round) {
    const TileUnit<Shape> unit(problem.schedule, u);
    barrier_wait(barriers.rows_full(), round & 1);
    for (int tile = unit.begin; tile < unit.end; tile += Shape::cluster) {
      if (!problem.schedule.adds_to_columns(unit.distance(tile))) continue;
      float acc[blocks][8 * Shape::halves];
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        const int group = part % 2;
        const int block = part / 2;
        const int buffer = group * Shape::buffers + block % Shape::buffers;
        const std::uint32_t parity = Shape::buffers == 2 ? uses & 1 : block;
        barrier_wait(barriers.values_full(buffer), parity);
        const std::uint32_t values = shared + Shape::values_at + buffer * Shape::values;
        const std::uint32_t vectors =
            shared + Shape::row_vectors_at + (group * 16 + block * 8) * eight;
        const MatrixDescriptor a(values, Shape::columns * 16, 128);
        const MatrixDescriptor b(vectors, eight, 128);
        mma_fence();
#pragma unroll
        for (int k = 0; k < 4; ++k) {
#pragma unroll
          for (int i = 0; i < blocks; ++i) {
            const int at = 2 * k * Shape::columns * 16 + i * 1024;
            Wgmma<Shape::width, false>::multiply(acc[i], a.at(at), b.at(2 * k * eight),
                                                 part > 0 || k > 0);
            if constexpr (Shape::halves == 2) {
              Wgmma<vector_width, false>::multiply(acc[i], a.at(at + Shape::values / 2),
                                                   b.at(2 * k * eight), 1);
            }
          }
        }
        mma_commit();
        // At once: the warpgroup that wrote these values waits for the space.
        mma_wait<0>();
        if (lane == 0) barrier_arrive(barriers.values_empty(buffer));
      }
#pragma unroll
      for (int i = 0; i < blocks; ++i) keep_below(acc[i]);
      barrier_wait(barriers.results_empty(uses % 2), (uses / 2 & 1) ^ 1);
      auto* results = reinterpret_cast<typename Shape::Sum*>(memory + Shape::results_at +
                                                             uses % 2 * Shape::results);
#pragma unroll
      for (int i = 0; i < blocks; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
          const int row = i * 64 + warp * 16 + lane / 4 + j / 2 % 2 * 8;
          const float sum =
              Shape::halves == 2 ? acc[i][j] + acc[i][(j + 8) % (8 * Shape::halves)] : acc[i][j];
          results[row * vector_width + j / 4 * 8 + lane % 4 * 2 + j % 2] = sum;
        }
      }
      fence_proxy_shared();
      __syncwarp();
      if (lane == 0) barrier_arrive(barriers.results_full(uses % 2));
      ++uses;
    }
    if (lane == 0) barrier_arrive(barriers.rows_empty());
  }
}

// Adds results for columns in the order of the schedule. Two threads, one for each buffer of
// results: every addition takes several trips to memory. All accesses to the sums are bulk
// operations, which need no fence between them but the order of release and acquire.
template <class Shape>
__device__ void add_results(const TileProblem<typename Shape::Sum>& problem, std::uint32_t shared,
                            TileBarriers barriers, std::uint32_t buffer) {
  std::uint32_t uses = 0;
  const int tiles = problem.schedule.column_blocks * Shape::tiles_per_block;
  for (int u = TileUnit<Shape>::first(); u < problem.schedule.units();
       u += TileUnit<Shape>::step()) {
    const TileUnit<Shape> unit(problem.schedule, u);
    for (int tile = unit.begin; tile < unit.end; tile += Shape::cluster) {
      const int distance = unit.distance(tile);
      if (!problem.schedule.adds_to_columns(distance)) continue;
      if (uses++ % 2 != buffer) continue;
      const int column_tile = unit.column_tile(problem.schedule, tile);
      const auto turn =
          static_cast<unsigned>(problem.schedule.turn(unit.strip, unit.row_block, distance));
      unsigned* counter =
          problem.turns + static_cast<std::size_t>(unit.strip) * tiles + column_tile;
      while (load_acquire(counter) != turn) __nanosleep(20);
      barrier_wait(barriers.results_full(buffer), (uses - 1) / 2 & 1);
      bulk_add(problem.column_sums + (static_cast<std::size_t>(unit.strip) * problem.columns +
                                      static_cast<std::size_t>(column_tile) * Shape::columns) *
                                         vector_width,
               shared + Shape::results_at + buffer * Shape::results, Shape::results);
      bulk_add_finish();
      store_release(counter, turn + 1);
      barrier_arrive(barriers.results_empty(buffer));
    }
  }
}

#endif

}  // namespace stkr::cuda
