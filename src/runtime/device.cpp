#include "stkr/runtime/device.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stkr/error.hpp"

namespace stkr {

Device Device::named(std::string_view name) {
  if (name == Device().name()) return {};
  if (name == "cuda") {
    throw ValueError(
        fmt::format("device 'cuda': this build of stkr has no CUDA backend; expected {}. 'stkr "
                    "--version' lists the devices of a build: install one that lists cuda, or omit "
                    "the device",
                    fmt::join(names(), ", ")));
  }
  throw ValueError(
      fmt::format("device '{}' is unknown; expected {}", name, fmt::join(names(), ", ")));
}

std::vector<std::string> Device::names() { return {std::string(Device().name())}; }

std::string_view Device::name() const { return "cpu"; }

}  // namespace stkr
