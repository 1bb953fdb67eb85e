#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

#include "device_memory.hpp"

namespace stkr::cuda::neighbor {

// Adds the time from construction to `stop` on the device to `total`, in milliseconds. Does nothing
// unless `on`: it makes the host wait.
class StageTimer {
 public:
  StageTimer(bool on, float& total) : on_(on), total_(total) {
    if (!on_) return;
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
    check(cudaEventRecord(begin_), "cudaEventRecord");
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;
  ~StageTimer() {
    if (!on_) return;
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  void stop() const {
    if (!on_) return;
    check(cudaEventRecord(end_), "cudaEventRecord");
    check(cudaEventSynchronize(end_), "cudaEventSynchronize");
    float elapsed = 0.0F;
    check(cudaEventElapsedTime(&elapsed, begin_, end_), "cudaEventElapsedTime");
    total_ += elapsed;
  }

 private:
  bool on_;
  float& total_;
  cudaEvent_t begin_{}, end_{};
};

// Rows of exact distances that are computed at once: up to 1 GiB, and at least one row.
inline std::int64_t exact_chunk_rows(std::int64_t points) {
  constexpr std::int64_t kChunkDoubles = std::int64_t{1} << 27;
  return std::clamp<std::int64_t>(kChunkDoubles / points, 1, 65535);
}

inline std::uint64_t exact_chunk_bytes(std::int64_t rows, std::int64_t points) {
  return static_cast<std::uint64_t>(std::min(rows, exact_chunk_rows(points))) * points *
         sizeof(double);
}

// Calls work(begin, rows, distances) for chunks of `rows` rows with space for their distances.
template <class Work>
void for_exact_chunks(std::int64_t rows, std::int64_t points, const Work& work) {
  if (rows == 0) return;
  const std::int64_t chunk = std::min(rows, exact_chunk_rows(points));
  DeviceArray<double> distances(static_cast<std::size_t>(chunk) * points);
  for (std::int64_t begin = 0; begin < rows; begin += chunk) {
    work(begin, std::min(chunk, rows - begin), distances.data());
  }
}

}  // namespace stkr::cuda::neighbor
