#include <algorithm>

#include "neighbor_offers.cuh"

// The same tiles on cards without wgmma, from the same packed points: a warp computes 32 × 64 pairs
// by mma.sync. The packed layout lets it load operands from global memory in full 128-byte lines.
namespace stkr::cuda::neighbor {
namespace {

constexpr int kWarpRows = 32, kWarpColumns = 64;
constexpr int kRows = 64, kColumns = 256;  // of a block: 2 × 4 warps
constexpr int kThreads = 256;

__device__ void multiply(float* value, const unsigned (&left)[4], unsigned right0,
                         unsigned right1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(value[0]), "+f"(value[1]), "+f"(value[2]), "+f"(value[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right0), "r"(right1));
}

template <bool Fill>
__global__ void __launch_bounds__(kThreads)
    portable_tiles_kernel(const __grid_constant__ TileJob job, unsigned column_blocks) {
  __shared__ OfferQueue::Storage storage[kThreads / 32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const auto column_block = blockIdx.x % column_blocks, row_block = blockIdx.x / column_blocks;
  // Blocks of a square below its diagonal repeat those above.
  if (job.square && column_block < row_block * kRows / kColumns) return;
  const std::int64_t row =
      job.row_begin + static_cast<std::int64_t>(row_block) * kRows + warp / 4 * kWarpRows;
  const std::int64_t column = job.column_begin +
                              static_cast<std::int64_t>(column_block) * kColumns +
                              warp % 4 * kWarpColumns;
  const int groups = job.inner.groups();
  // Of 8 numbers in a row of a group, a lane holds the pair lane % 4, of row lane / 4.
  const int word = lane % 4, line = lane / 4;
  const auto* right = reinterpret_cast<const unsigned*>(job.right) +
                      (column / kBlockRows * groups * kBlockRows + column % kBlockRows + line) * 4 +
                      word;
  const auto* left = reinterpret_cast<const unsigned*>(job.left) +
                     (row / kBlockRows * groups * kBlockRows + row % kBlockRows + line) * 4 + word;
  const auto* left_last =
      reinterpret_cast<const unsigned*>(job.left_group) + (row + line) * 4 + word;
  constexpr int kGroupWords = kBlockRows * 4;
  float value[2][kWarpColumns / 8 * 4] = {};
  for (int group = 0; group < groups; group += 2) {
    unsigned a[2][4];
    const unsigned* second =
        group + 2 == groups ? left_last : left + static_cast<std::int64_t>(group + 1) * kGroupWords;
    const unsigned* first = left + static_cast<std::int64_t>(group) * kGroupWords;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      a[half][0] = first[16 * half * 4];
      a[half][1] = first[(16 * half + 8) * 4];
      a[half][2] = second[16 * half * 4];
      a[half][3] = second[(16 * half + 8) * 4];
    }
    const unsigned* b = right + static_cast<std::int64_t>(group) * kGroupWords;
#pragma unroll
    for (int tile = 0; tile < kWarpColumns / 8; ++tile) {
      const unsigned b0 = b[8 * tile * 4], b1 = b[8 * tile * 4 + kGroupWords];
      multiply(value[0] + 4 * tile, a[0], b0, b1);
      multiply(value[1] + 4 * tile, a[1], b0, b1);
    }
  }
  const bool diagonal = job.square && column_block == row_block * kRows / kColumns;
  const bool both = job.column_floor && !diagonal;
  OfferQueue queue(job, storage[warp]);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const std::int64_t first = row + 16 * half;
    offer_tile<kWarpColumns / 8, Fill>(job, value[half], first, column,
                                       lane_floors<Fill>(job, first),
                                       both ? job.column_floor + column : nullptr, queue);
  }
  queue.finish();
}

}  // namespace

void offer_tiles_portable(const TileJob& job) {
  const std::int64_t row_blocks = (job.row_end - job.row_begin + kRows - 1) / kRows;
  const std::int64_t column_blocks = (job.column_end - job.column_begin + kColumns - 1) / kColumns;
  // At most 2³¹ - 1 blocks per launch: bands of row blocks, on boundaries of packed blocks.
  constexpr std::int64_t kMostBlocks = 1 << 30;
  const std::int64_t band = std::max<std::int64_t>(4, kMostBlocks / column_blocks / 4 * 4);
  if (job.square && row_blocks > band) {
    // Too large for one launch: the square is its first band, the rectangle beside it, and the
    // rest.
    TileJob head = job, beside = job, rest = job;
    const std::int64_t middle = job.row_begin + band * kRows;
    head.row_end = head.column_end = middle;
    beside.square = false;
    beside.row_end = middle;
    beside.column_begin = rest.row_begin = rest.column_begin = middle;
    offer_tiles_portable(head);
    offer_tiles_portable(beside);
    offer_tiles_portable(rest);
    return;
  }
  for (std::int64_t first = 0; first < row_blocks; first += band) {
    TileJob part = job;
    part.row_begin = job.row_begin + first * kRows;
    const std::int64_t blocks = std::min(band, row_blocks - first);
    const auto kernel = job.fill ? portable_tiles_kernel<true> : portable_tiles_kernel<false>;
    kernel<<<static_cast<unsigned>(blocks * column_blocks), kThreads>>>(
        part, static_cast<unsigned>(column_blocks));
    check_launch("portable neighbor tiles");
  }
}

void offer_tiles(const TileJob& job, bool portable) {
  if (job.row_begin >= job.row_end || job.column_begin >= job.column_end) return;
  int device = 0, major = 0, minor = 0, processors = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
        "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
        "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  if (major == 9 && minor == 0 && !portable) {
    offer_tiles_hopper(job, processors);
  } else {
    offer_tiles_portable(job);
  }
}

}  // namespace stkr::cuda::neighbor
