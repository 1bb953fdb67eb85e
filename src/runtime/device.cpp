#include "stkr/runtime/device.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "stkr/error.hpp"

namespace stkr {

#ifdef STKR_WITH_CUDA
// Defined in backends/cuda: the core includes nothing of it.
namespace cuda {
const DeviceBackend& backend();
std::string description();                     // "NVIDIA H200, 139 GiB"
std::optional<std::string> why_unavailable();  // none if it can be used
}  // namespace cuda
#endif

namespace {

constexpr const char* kCuda = "cuda";

// Why this build on this machine cannot use CUDA, and what to do; none if it can.
std::optional<std::string> why_no_cuda() {
#ifdef STKR_WITH_CUDA
  return cuda::why_unavailable();
#else
  return "this build of stkr has no CUDA backend: install the CUDA toolkit and build with "
         "-DSTKR_CUDA=ON";
#endif
}

}  // namespace

Device Device::named(std::string_view name) {
  if (name == Device().name()) return {};
  if (name == kCuda) {
    if (const auto reason = why_no_cuda()) {
      throw ValueError(fmt::format(
          "device '{}' cannot be used: {}; expected {}. 'stkr --version' lists the devices", name,
          *reason, fmt::join(names(), ", ")));
    }
#ifdef STKR_WITH_CUDA
    return {cuda::backend(), kCuda};
#endif
  }
  throw ValueError(
      fmt::format("device '{}' is unknown; expected {}", name, fmt::join(names(), ", ")));
}

std::vector<std::string> Device::names() {
  std::vector<std::string> result{std::string(Device().name())};
  if (!why_no_cuda()) result.emplace_back(kCuda);
  return result;
}

std::vector<std::string> Device::describe() {
  std::vector<std::string> result{std::string(Device().name())};
#ifdef STKR_WITH_CUDA
  const auto reason = why_no_cuda();
  result.push_back(
      fmt::format("{} ({})", kCuda, reason ? "unavailable: " + *reason : cuda::description()));
#endif
  return result;
}

}  // namespace stkr
