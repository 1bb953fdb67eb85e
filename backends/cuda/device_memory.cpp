#include "device_memory.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "stkr/error.hpp"

namespace stkr::cuda {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // so that later calls do not report this error again
  if (status == cudaErrorMemoryAllocation) {
    throw MemoryError(fmt::format(
        "the device has too little memory ({}); use fewer samples or --device cpu", what));
  }
  throw Error(fmt::format("CUDA device: {} failed: {} ({})", what, cudaGetErrorString(status),
                          cudaGetErrorName(status)));
}

void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

std::uint64_t free_bytes() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  cudaMemPool_t pool{};
  check(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
  // What the pool keeps is free as well.
  std::uint64_t reserved = 0, used = 0;
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved),
        "cudaMemPoolGetAttribute");
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used),
        "cudaMemPoolGetAttribute");
  return free + reserved - used;
}

namespace detail {

// By default a pool returns its memory to the driver at every synchronization.
static void keep_released_memory() {
  static const bool done = [] {
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    cudaMemPool_t pool{};
    check(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
    auto most = std::numeric_limits<std::uint64_t>::max();
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most),
          "cudaMemPoolSetAttribute");
    return true;
  }();
  (void)done;
}

void* allocate(std::size_t bytes) {
  keep_released_memory();
  void* memory = nullptr;
  check(cudaMallocAsync(&memory, bytes, nullptr), "cudaMallocAsync");
  return memory;
}

void release(void* memory) noexcept { cudaFreeAsync(memory, nullptr); }

void copy_to_device(void* device, const void* host, std::size_t bytes) {
  if (bytes == 0) return;
  check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
}

void copy_to_host(void* host, const void* device, std::size_t bytes) {
  if (bytes == 0) return;
  check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy to the host");
}

}  // namespace detail
}  // namespace stkr::cuda
