#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stkr {

// CRC-64 as in the .xz format (ECMA-182 polynomial, reflected). It detects every change confined
// to 64 consecutive bits, and any other change with probability 1 - 2⁻⁶⁴. It detects accidental
// changes, not deliberate ones.
class Crc64 {
 public:
  void update(std::span<const std::byte> bytes);  // on all threads if there are many
  std::uint64_t value() const { return ~state_; }

  // As update() with `count` bytes that another process has, of which the checksum is `value`.
  void append(std::uint64_t value, std::uint64_t count);

 private:
  void update_in_order(std::span<const std::byte> bytes);

  std::uint64_t state_ = ~std::uint64_t{0};
};

}  // namespace stkr
