#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stkr {

class DeviceBackend;  // linop/device_backend

// What runs the products of a computation and holds its blocks. Every device that can be named here
// is one that this build has and this machine can use, so nothing else checks for it.
//
//   stkr::Context context{.device = stkr::Device::named("cuda")};
class Device {
 public:
  Device() = default;  // the CPU
  // A backend of one's own. It and its name must outlive every computation on it.
  Device(const DeviceBackend& backend, std::string_view name) : backend_(&backend), name_(name) {}

  // Throws ValueError if the name is unknown, if this build has no such backend, or if this machine
  // cannot use it: the message says what is missing.
  static Device named(std::string_view name);

  // The names of the devices that named() accepts here, the default first.
  static std::vector<std::string> names();
  // One line per device of this build: its name, and what it is or why it cannot be used.
  static std::vector<std::string> describe();

  std::string_view name() const { return name_; }

  // Null for the CPU.
  const DeviceBackend* backend() const { return backend_; }

  bool operator==(const Device&) const = default;

 private:
  const DeviceBackend* backend_ = nullptr;
  std::string_view name_ = "cpu";
};

}  // namespace stkr
