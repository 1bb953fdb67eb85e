#include <algorithm>

#include "neighbor_offers.cuh"
#include "neighbor_wgmma.cuh"

// Tiles of 128 × 256 pairs by the tensor cores of compute capability 9.0. One warp copies operands
// to shared memory, several chunks ahead; two groups of four warps multiply and compare 64 × 256
// each. The groups drift apart, so that one multiplies while the other compares.
namespace stkr::cuda::neighbor {
namespace {

constexpr int kRows = 128, kColumns = 256;
constexpr int kThreads = 384;  // 2 groups that multiply, 1 that copies
constexpr int kMultiplyingWarps = 8;
constexpr int kMostStages = 8;
constexpr int kFloorSlots = 4;  // floors of column blocks, ahead of their use
// Row blocks that are visited together, so that a chunk of columns stays in the second-level cache.
[[maybe_unused]] constexpr int kBand = 16;
constexpr unsigned kLeftGroupBytes = kRows * 16, kRightGroupBytes = kColumns * 16;
constexpr unsigned kSharedBytes = 227 * 1024;
constexpr unsigned kFloorBytes = kColumns * sizeof(float);
constexpr unsigned kScratchBytes =
    kFloorSlots * kFloorBytes + kMultiplyingWarps * sizeof(OfferQueue::Storage);
// Up to this many bytes, the left operand stays in shared memory for a row of tiles.
constexpr unsigned kMostResidentBytes = 80 * 1024;

struct Schedule {
  int row_blocks, column_blocks;  // of 128 and 256
  int segment;                    // column blocks per item
  bool square;
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// The items of a schedule in an order that all warps of a block follow: bands of row blocks,
// segments of column blocks in a band, row blocks in a segment.
class Items {
 public:
  __device__ Items(const Schedule& schedule, unsigned first) : s_(schedule), next_(first) {
    enter_band(0);
  }

  // The next row block and its column blocks [begin, end). False at the end.
  __device__ bool next(int& row_block, int& begin, int& end) {
    for (;; next_ += gridDim.x) {
      while (next_ - base_ >= items_) {
        base_ += items_;
        if ((band_ + 1) * kBand >= s_.row_blocks) return false;
        enter_band(band_ + 1);
      }
      const auto item = static_cast<unsigned>(next_ - base_);
      row_block = band_ * kBand + static_cast<int>(item % kBand);
      const int first = first_ + static_cast<int>(item / kBand) * s_.segment;
      begin = s_.square ? max(first, row_block / 2) : first;
      end = min(first + s_.segment, s_.column_blocks);
      if (row_block < s_.row_blocks && begin < end) break;
    }
    next_ += gridDim.x;
    return true;
  }

 private:
  __device__ void enter_band(int band) {
    band_ = band;
    first_ = s_.square ? band * kBand / 2 : 0;
    const int segments = (s_.column_blocks - first_ + s_.segment - 1) / s_.segment;
    items_ = static_cast<unsigned long long>(segments) * kBand;
  }

  const Schedule& s_;
  unsigned long long next_, base_ = 0, items_ = 0;
  int band_ = 0, first_ = 0;
};

struct Stage {
  int index = 0;
  unsigned phase = 0;

  __device__ void advance(int stages) {
    if (++index == stages) {
      index = 0;
      phase ^= 1;
    }
  }
};

struct Barriers {
  std::uint64_t full[kMostStages], empty[kMostStages], left_full, left_empty;
  std::uint64_t floors_empty[kFloorSlots];
};

// Copies `groups` groups of 128 rows of the left side, the last one of all from its own place.
__device__ void copy_left(const TileJob& job, std::int64_t row, int first, int groups, char* to,
                          std::uint64_t* barrier) {
  const int all = job.inner.groups();
  const std::int64_t block = row / kBlockRows, within = row % kBlockRows;
  for (int g = 0; g < groups; ++g) {
    const __half* from = first + g == all - 1
                             ? job.left_group + (block * kBlockRows + within) * 8
                             : job.left + ((block * all + first + g) * kBlockRows + within) * 8;
    copy_to_shared(to + g * kLeftGroupBytes, from, kLeftGroupBytes, barrier);
  }
}

#endif

template <int Steps, bool Resident, bool Fill>
__global__ void __launch_bounds__(kThreads, 1)
    tiles_kernel(const __grid_constant__ TileJob job, const __grid_constant__ Schedule schedule,
                 const int stages) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(1024) char shared[];
  __shared__ Barriers barriers;
  constexpr int kGroups = 2 * Steps;
  constexpr unsigned kLeftBytes = kGroups * kLeftGroupBytes;
  constexpr unsigned kRightBytes = kGroups * kRightGroupBytes;
  constexpr unsigned kStageBytes = kRightBytes + (Resident ? 0 : kLeftBytes);
  const int chunks = job.inner.chunks;
  char* const left = shared;  // resident only
  char* const ring = shared + (Resident ? chunks * kLeftBytes : 0);
  auto* const floors = reinterpret_cast<float*>(ring + stages * kStageBytes);
  const int warp = threadIdx.x / 32;

  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) {
      start_barrier(&barriers.full[s], 1);
      start_barrier(&barriers.empty[s], kMultiplyingWarps);
    }
    for (int s = 0; s < kFloorSlots; ++s) {
      start_barrier(&barriers.floors_empty[s], kMultiplyingWarps);
    }
    start_barrier(&barriers.left_full, 1);
    start_barrier(&barriers.left_empty, kMultiplyingWarps);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();

  Items items(schedule, blockIdx.x);
  int row_block = 0, begin = 0, end = 0;
  Stage stage, slot;
  unsigned left_phase = 0;
  if (warp >= kMultiplyingWarps) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
    if (threadIdx.x != kMultiplyingWarps * 32) return;
    while (items.next(row_block, begin, end)) {
      const std::int64_t row = job.row_begin + static_cast<std::int64_t>(row_block) * kRows;
      if (Resident) {
        wait(&barriers.left_empty, left_phase ^ 1);
        left_phase ^= 1;
        arrive_and_expect(&barriers.left_full, chunks * kLeftBytes);
        copy_left(job, row, 0, chunks * kGroups, left, &barriers.left_full);
      }
      for (int b = begin; b < end; ++b) {
        const std::int64_t block = job.column_begin / kBlockRows + b;
        for (int chunk = 0; chunk < chunks; ++chunk) {
          wait(&barriers.empty[stage.index], stage.phase ^ 1);
          char* const to = ring + stage.index * kStageBytes;
          std::uint64_t* const barrier = &barriers.full[stage.index];
          // The floors of the columns come with the last chunk.
          const bool with_floors = job.column_floor && chunk + 1 == chunks;
          arrive_and_expect(barrier, kStageBytes + (with_floors ? kFloorBytes : 0));
          if (with_floors) {
            wait(&barriers.floors_empty[slot.index], slot.phase ^ 1);
            copy_to_shared(floors + slot.index * kColumns, job.column_floor + block * kBlockRows,
                           kFloorBytes, barrier);
            slot.advance(kFloorSlots);
          }
          copy_to_shared(
              to, job.right + (block * job.inner.groups() + chunk * kGroups) * kBlockRows * 8,
              kRightBytes, barrier);
          if (!Resident) copy_left(job, row, chunk * kGroups, kGroups, to + kRightBytes, barrier);
          stage.advance(stages);
        }
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 224;");
    auto* const storage = reinterpret_cast<OfferQueue::Storage*>(floors + kFloorSlots * kColumns);
    OfferQueue queue(job, storage[warp]);
    const unsigned group_offset = warp / 4 * 64 * 16;  // rows 64 to 127 for the second group
    float value[128];
    while (items.next(row_block, begin, end)) {
      const std::int64_t row =
          job.row_begin + static_cast<std::int64_t>(row_block) * kRows + warp * 16;
      const float2 row_floors = lane_floors<Fill>(job, row);
      if (Resident) {
        wait(&barriers.left_full, left_phase);
        left_phase ^= 1;
      }
      for (int b = begin; b < end; ++b) {
        for (int chunk = 0; chunk < chunks; ++chunk) {
          wait(&barriers.full[stage.index], stage.phase);
          const char* const right = ring + stage.index * kStageBytes;
          const char* const here = Resident ? left + chunk * kLeftBytes : right + kRightBytes;
          const std::uint64_t a = operand(here + group_offset, kLeftGroupBytes);
          const std::uint64_t c = operand(right, kRightGroupBytes);
          fence_registers();
#pragma unroll
          for (int step = 0; step < Steps; ++step) {
            multiply(value, a + step * (2 * kLeftGroupBytes >> 4),
                     c + step * (2 * kRightGroupBytes >> 4), chunk + step > 0);
          }
          commit_products();
          wait_for_products();
          if (threadIdx.x % 32 == 0) arrive(&barriers.empty[stage.index]);
          stage.advance(stages);
        }
        if (Resident && b + 1 == end && threadIdx.x % 32 == 0) arrive(&barriers.left_empty);
        const bool both = job.column_floor && !(job.square && b == row_block / 2);
        offer_tile<32, Fill>(job, value, row,
                             job.column_begin + static_cast<std::int64_t>(b) * kColumns, row_floors,
                             both ? floors + slot.index * kColumns : nullptr, queue);
        if (job.column_floor) {
          __syncwarp();
          if (threadIdx.x % 32 == 0) arrive(&barriers.floors_empty[slot.index]);
          slot.advance(kFloorSlots);
        }
      }
    }
    queue.finish();
  }
#endif
}

template <int Steps, bool Resident>
void launch(const TileJob& job, int processors) {
  const unsigned left = 2 * Steps * kLeftGroupBytes, right = 2 * Steps * kRightGroupBytes;
  const unsigned resident = Resident ? job.inner.chunks * left : 0;
  const unsigned stage = right + (Resident ? 0 : left);
  const int stages = static_cast<int>(
      std::min<unsigned>(kMostStages, (kSharedBytes - 1024 - resident - kScratchBytes) / stage));
  const unsigned bytes = resident + stages * stage + kScratchBytes;
  Schedule schedule{};
  schedule.square = job.square;
  schedule.row_blocks = static_cast<int>((job.row_end - job.row_begin + kRows - 1) / kRows);
  schedule.column_blocks =
      static_cast<int>((job.column_end - job.column_begin + kColumns - 1) / kColumns);
  const auto tiles = static_cast<std::int64_t>(schedule.row_blocks) * schedule.column_blocks;
  // A long segment loads the left side once; many items keep all processors busy to the end.
  schedule.segment =
      Resident ? static_cast<int>(std::clamp<std::int64_t>(tiles / (8 * processors), 1, 32)) : 1;
  const auto kernel =
      job.fill ? tiles_kernel<Steps, Resident, true> : tiles_kernel<Steps, Resident, false>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        "cudaFuncSetAttribute");
  const auto grid = static_cast<unsigned>(std::min<std::int64_t>(processors, tiles));
  kernel<<<grid, kThreads, bytes>>>(job, schedule, stages);
  check_launch("neighbor tiles");
}

template <int Steps>
void launch(const TileJob& job, int processors) {
  if (job.inner.groups() * kLeftGroupBytes <= kMostResidentBytes) {
    launch<Steps, true>(job, processors);
  } else {
    launch<Steps, false>(job, processors);
  }
}

}  // namespace

void offer_tiles_hopper(const TileJob& job, int processors) {
  switch (job.inner.steps) {
    case 1:
      return launch<1>(job, processors);
    case 2:
      return launch<2>(job, processors);
    case 3:
      return launch<3>(job, processors);
    case 4:
      return launch<4>(job, processors);
    default:
      return launch<5>(job, processors);
  }
}

}  // namespace stkr::cuda::neighbor
