#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stkr {

// What runs the products of a computation and holds its blocks. Every device that can be named here
// is one that this build has, so nothing else checks for it.
//
//   stkr::Context context{.device = stkr::Device::named("cpu")};
class Device {
 public:
  Device() = default;  // the CPU

  // Throws ValueError if the name is unknown, or if this build has no such backend.
  static Device named(std::string_view name);

  // The names of the devices of this build, the default first.
  static std::vector<std::string> names();

  std::string_view name() const;

  bool operator==(const Device&) const = default;

 private:
  enum class Kind { cpu };
  Kind kind_ = Kind::cpu;
};

}  // namespace stkr
