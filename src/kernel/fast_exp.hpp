#pragma once

#include <cstdint>

#include "runtime/simd_vector.hpp"

namespace stkr {

// eˣ of every lane, without branches (std::exp would be a call per element). Within 2 ulp of
// std::exp for every x, with gradual underflow to 0 and overflow to infinity; NaN stays NaN.
//
// x = k ln 2 + r with |r| ≤ ln2/2, and eʳ = 1 + r + r² q(r). The coefficients of q interpolate
// (eʳ-1-r)/r² at Chebyshev nodes of [-ln2/2, ln2/2]; ln 2 is split in two so that r is exact to
// rounding. 2ᵏ is applied in two factors because 2⁻¹⁰⁷⁵ and 2¹⁰²⁴ are not doubles.
template <int Lanes>
inline simd::Vec<double, Lanes> fast_exp(simd::Vec<double, Lanes> x) {
  using V = simd::Vec<double, Lanes>;
  using Bits = simd::Vec<std::uint64_t, Lanes>;
  constexpr double round_to_integer = 0x1.8p52;  // adding and subtracting it rounds to an integer
  constexpr double exponent_field = 0x1p52 + 1023;
  x = x < -746.0 ? V{} - 746.0 : x;
  x = x > 710.0 ? V{} + 710.0 : x;
  const V k = (x * 0x1.71547652b82fep0 + round_to_integer) - round_to_integer;
  const V r = (x - k * 0x1.62e42fefa3800p-1) - k * 0x1.ef35793c76730p-45;
  V q = 0x1.af38a9b0ec855p-26 * r + 0x1.289185613a3d6p-22;
  q = q * r + 0x1.71de0dae63bb3p-19;
  q = q * r + 0x1.a019b90d2ae7ap-16;
  q = q * r + 0x1.a01a01a7c41d5p-13;
  q = q * r + 0x1.6c16c1788bd90p-10;
  q = q * r + 0x1.11111111109b3p-7;
  q = q * r + 0x1.5555555553d63p-5;
  q = q * r + 0x1.5555555555556p-3;
  q = q * r + 0x1.0000000000001p-1;
  const V e = 1.0 + (r + r * r * q);
  V k1 = k < -1022.0 ? V{} - 1022.0 : k;
  k1 = k1 > 1023.0 ? V{} + 1023.0 : k1;
  const V k2 = k - k1;
  return e * (V)((Bits)(k1 + exponent_field) << 52) * (V)((Bits)(k2 + exponent_field) << 52);
}

// The same in single precision.
template <int Lanes>
inline simd::Vec<float, Lanes> fast_exp(simd::Vec<float, Lanes> x) {
  using V = simd::Vec<float, Lanes>;
  using Bits = simd::Vec<std::uint32_t, Lanes>;
  constexpr float round_to_integer = 0x1.8p23f;
  constexpr float exponent_field = 0x1p23f + 127;
  x = x < -104.0f ? V{} - 104.0f : x;
  x = x > 89.0f ? V{} + 89.0f : x;
  const V k = (x * 0x1.715476p0f + round_to_integer) - round_to_integer;
  const V r = (x - k * 0x1.62e400p-1f) - k * 0x1.7f7d1cp-20f;
  V q = 0x1.6d1109p-10f * r + 0x1.120b6ep-7f;
  q = q * r + 0x1.55551ap-5f;
  q = q * r + 0x1.5554dcp-3f;
  q = q * r + 0x1.000000p-1f;
  const V e = 1.0f + (r + r * r * q);
  V k1 = k < -126.0f ? V{} - 126.0f : k;
  k1 = k1 > 127.0f ? V{} + 127.0f : k1;
  const V k2 = k - k1;
  return e * (V)((Bits)(k1 + exponent_field) << 23) * (V)((Bits)(k2 + exponent_field) << 23);
}

}  // namespace stkr
