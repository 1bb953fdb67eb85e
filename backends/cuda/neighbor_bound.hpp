#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdint>

// How far an inner product of the tensor cores can be from the exact one. Plain functions of
// numbers, for the device and for the tests on the host.
//
// Let x and y be points scaled by a power of two, and x̂ and ŷ their roundings to half precision.
// With r = ‖x - x̂‖ and u ≥ ‖x‖, ‖x̂‖ per point, both computed from the data,
//   |<x,y> - <x̂,ŷ>| = |<x - x̂, y> + <x̂, y - ŷ>| ≤ r_x u_y + u_x r_y
//                    ≤ (r_x²/θ + θ u_x²)/2 + (r_y²/θ + θ u_y²)/2            for any θ > 0,
// a term of x plus a term of y. θ ≈ r/u makes it tight where ‖x‖ ≈ ‖y‖, as between neighbors.
//
// The tensor cores also sum the halves of the squared norms, so that the result is
//   v = <x̂,ŷ> - a_x - a_y with a number a_x ≤ ‖x‖²/2 in three pieces of half precision.
// Products of two numbers of half precision are exact in single precision. Each step of the sum
// aligns its addends to the largest one and truncates them to at least 24 bits, as all cards of
// compute capability 8.0 and 9.0 do (Fasi, Higham, Mikaitis and Pranesh, PeerJ Comput. Sci. 7,
// 2021, find one or two more bits). A step of b products has b + 1 addends and one more truncation,
// b ≥ 8, so K products take at most 1.25 K truncations, each at most 2⁻²³ S, where
//   S = Σ|products| ≤ u_x u_y + a_x + a_y ≤ u_x² + u_y².
// With s = (r²/θ + θ u²)/2 + γ u², γ = 1.25 (K + 16) 2⁻²³, per point, altogether
//   |<x,y> - (v + a_x + a_y)| ≤ s_x + s_y.
// a = ‖x‖²/2 - s, rounded down, makes -v a lower bound of ‖x - y‖²/2 = ‖x‖²/2 + ‖y‖²/2 - <x,y>,
// and -v + σ_x + σ_y with σ = ‖x‖²/2 - a + s an upper bound.
namespace stkr::cuda::neighbor {

// Half of the squared norm of the longest point after scaling lies in [2²⁴, 2²⁶). That leaves room
// for longer queries, and 27 binary digits below the longest point for exact halves.
inline constexpr int kScaledExponent = 26;
// Longer queries do not fit into half precision. Their coordinates are at most 2^15.5 < 65,504.
inline constexpr double kMostHalfNorm = 0x1p30;

// What piece i of a is multiplied by: 2¹⁵, 2⁴ and 2⁻⁷, for pieces of up to 2¹⁵ with 11 bits each.
__host__ __device__ constexpr float piece_weight(int i) {
  return i == 0 ? 0x1p15f : i == 1 ? 0x1p4f : 0x1p-7f;
}

struct Bound {
  __half piece[3];  // of a
  float sigma = 0;
};

// The exponent of the scale, from the largest half norm of the points.
__host__ __device__ inline int scale_exponent(double largest_half_norm) {
  if (!(largest_half_norm > 0.0)) return 0;
  int exponent = 0;
  frexp(largest_half_norm, &exponent);  // half norm < 2^exponent
  const int up = kScaledExponent - exponent;
  return up >= 0 ? up / 2 : -((1 - up) / 2);
}

__host__ __device__ inline float round_up(double value) {
  const auto nearest = static_cast<float>(value);
  return nearest < value ? nextafterf(nearest, INFINITY) : nearest;
}

// The half norm h and the squares of r and u are those of the scaled point, computed in double
// precision.
__host__ __device__ inline Bound bound_of(double h, double r_squared, double u_squared,
                                          double theta, int inner) {
  const double u2 = u_squared * (1.0 + 0x1p-10);  // the pieces may alternate in sign: S is larger
  const double gamma = 1.25 * (inner + 16) * 0x1p-23;
  // The last term covers the rounding of h, r and u.
  const double s = 0.5 * (r_squared / theta + theta * u2) + (gamma + 0x1p-30) * u2;
  double rest = h - s;
  Bound bound;
  double a = 0.0;
  for (int i = 0; i < 3; ++i) {
    const auto part = static_cast<float>(rest / piece_weight(i));
    bound.piece[i] = __float2half_rn(part);
    double value = static_cast<double>(__half2float(bound.piece[i])) * piece_weight(i);
    // The last piece is rounded down: one unit of half precision less.
    if (i == 2 && value > rest) {
      bound.piece[i] = __float2half_rn(part - fabsf(part) * 0x1p-10f - 0x1p-24f);
      value = static_cast<double>(__half2float(bound.piece[i])) * piece_weight(i);
    }
    a += value;
    rest -= value;
  }
  bound.sigma = round_up((h - a + s) * (1.0 + 0x1p-40));
  return bound;
}

}  // namespace stkr::cuda::neighbor
