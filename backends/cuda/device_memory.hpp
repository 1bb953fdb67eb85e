#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

// Memory of the current CUDA device. Everything in this folder runs on the default stream, so work
// is ordered, and host code waits only when it downloads.
namespace stkr::cuda {

// Throws MemoryError if `status` says that device memory is exhausted, Error for any other failure.
// `what` names the call.
void check(cudaError_t status, const char* what);

// Throws if the last kernel could not be launched.
void check_launch(const char* kernel);

// Bytes that can be allocated now.
std::uint64_t free_bytes();

namespace detail {
void* allocate(std::size_t bytes);
void release(void* memory) noexcept;
void copy_to_device(void* device, const void* host, std::size_t bytes);
void copy_to_host(void* host, const void* device, std::size_t bytes);
}  // namespace detail

// An array in device memory, from a pool that keeps what is released: allocating costs
// microseconds.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  // Uninitialized.
  explicit DeviceArray(std::size_t size)
      : data_(size ? static_cast<T*>(detail::allocate(size * sizeof(T))) : nullptr), size_(size) {}
  explicit DeviceArray(std::span<const T> host) : DeviceArray(host.size()) { upload(host.data()); }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceArray() {
    if (data_) detail::release(data_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }

  // All `size()` values.
  void upload(const T* host) { detail::copy_to_device(data_, host, size_ * sizeof(T)); }
  void download(T* host) const { detail::copy_to_host(host, data_, size_ * sizeof(T)); }
  std::vector<T> download() const {
    std::vector<T> host(size_);
    download(host.data());
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace stkr::cuda
