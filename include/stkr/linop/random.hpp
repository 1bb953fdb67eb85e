#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace stkr {

// SplitMix64 (Steele, Lea and Flood 2014): one 64-bit state, the same numbers on every platform,
// which the distributions of <random> do not promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  // Uniform on [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  // Uniform on {0, ..., count-1}, without bias.
  std::uint64_t below(std::uint64_t count) {
    const std::uint64_t limit = -count % count;  // 2⁶⁴ mod count
    std::uint64_t value = bits();
    while (value < limit) value = bits();
    return value % count;
  }

  // Standard normal, by Box and Muller.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

}  // namespace stkr
