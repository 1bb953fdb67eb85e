#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <optional>
#include <string>

#include "device_memory.hpp"

// What card there is, for stkr::Device.
namespace stkr::cuda {
namespace {

constexpr int kLeastMajor = 8;  // compute capability 8.0

}  // namespace

std::optional<std::string> why_unavailable() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver) {
    cudaGetLastError();
    return fmt::format(
        "the NVIDIA driver is missing or older than CUDA {}.{} needs; install a newer one",
        CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  }
  if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) {
    cudaGetLastError();
    return "the NVIDIA driver finds no card; see nvidia-smi and CUDA_VISIBLE_DEVICES";
  }
  if (status != cudaSuccess) {
    cudaGetLastError();
    return fmt::format("{} ({})", cudaGetErrorString(status), cudaGetErrorName(status));
  }
  int major = 0, minor = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
  if (major < kLeastMajor) {
    return fmt::format("the card has compute capability {}.{}; expected {}.0 or newer (Ampere)",
                       major, minor, kLeastMajor);
  }
  return std::nullopt;
}

std::string description() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  return fmt::format("{}, {:.0f} GiB, compute capability {}.{}", properties.name,
                     static_cast<double>(properties.totalGlobalMem) / (1 << 30), properties.major,
                     properties.minor);
}

}  // namespace stkr::cuda
