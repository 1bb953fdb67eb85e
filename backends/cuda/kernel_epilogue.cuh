#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "packed_points.hpp"
#include "packed_points_layout.hpp"

// Kernel values from what the products of points leave: exponents, squared distances or inner
// products of scaled points (see point_scale).
namespace stkr::cuda {

// What an evaluation needs beside the kind.
struct FormulaOnDevice {
  FormulaKind kind;
  int degree;
  bool negative;  // polynomial: the sign of an odd power with γ < 0
  double sign;    // polynomial: of c₀/γ
  double radius;  // epsilon_neighbor

  static FormulaOnDevice of(const KernelFormula& formula) {
    const bool opposite = (formula.coef0 < 0.0) != (formula.gamma < 0.0);
    return {formula.kind, formula.degree, formula.gamma < 0.0 && formula.degree % 2 != 0,
            opposite ? -1.0 : 1.0, formula.length_scale};
  }
};

__device__ inline float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ inline float fast_sqrt(float x) {
  float y;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// 2^x to 1e-15 for x up to rounding above 0. In base 2 the integer part is exact: no reduction in
// two parts is needed.
__device__ inline double full_exp2(double x) {
  // Below -1021 the result is 2^-1021, which is zero for every sum. Upper halves of negative
  // doubles grow with their magnitude.
  const auto upper = static_cast<unsigned>(__double2hiint(x));
  const double limited =
      __hiloint2double(static_cast<int>(min(upper, 0xc08fe800u)), __double2loint(x));
  const double shifted = limited + 6755399441055744.0;  // 1.5 · 2^52: rounds to an integer
  const int integer = __double2loint(shifted);
  const double r = limited - (shifted - 6755399441055744.0);
  // Interpolation of 2^r on [-1/2, 1/2] at Chebyshev points.
  double p = 7.070977866508138e-09;
  p = fma(p, r, 1.0205905413765595e-07);
  p = fma(p, r, 1.3215451633221434e-06);
  p = fma(p, r, 1.5252672924850737e-05);
  p = fma(p, r, 0.00015403530424776529);
  p = fma(p, r, 0.0013333558200794592);
  p = fma(p, r, 0.009618129107618665);
  p = fma(p, r, 0.05550410866465167);
  p = fma(p, r, 0.24022650695910075);
  p = fma(p, r, 0.6931471805599462);
  p = fma(p, r, 1.0);
  return __hiloint2double(__double2hiint(p) + (integer << 20), __double2loint(p));
}

template <class Scalar>
__device__ inline Scalar power(Scalar base, int exponent) {
  Scalar result = exponent % 2 ? base : Scalar{1};
  for (exponent /= 2; exponent > 0; exponent /= 2) {
    base *= base;
    if (exponent % 2) result *= base;
  }
  return result;
}

// What an accumulator of half_tiles holds where a euclidean kernel has its value at zero distance.
template <bool Rbf>
inline constexpr float accumulator_at_zero = Rbf ? kernel_shift : 0;

// A value · 2^kernel_shift from an accumulator of half_tiles: kernel_shift - D²/2 for rbf, -D²/2
// for matern, an inner product of unit vectors for polynomial.
template <bool Rbf>
__device__ inline float shifted_value(float accumulator, const FormulaOnDevice& formula) {
  if constexpr (Rbf) return fast_exp2(accumulator);
  constexpr float unit = 1 << kernel_shift;
  if (formula.kind == FormulaKind::polynomial) {
    return (formula.negative ? -unit : unit) * power(accumulator, formula.degree);
  }
  const float distance = fast_sqrt(fmaxf(-2.0f * accumulator, 0.0f));
  const float t = distance * 0.69314718f;
  const float tail = fast_exp2(static_cast<float>(kernel_shift) - distance);
  if (formula.kind == FormulaKind::matern12) return tail;
  if (formula.kind == FormulaKind::matern32) return fmaf(t, tail, tail);
  return fmaf(fmaf(t, 1.0f / 3.0f, 1.0f), t, 1.0f) * tail;
}

// The value of a euclidean kernel at squared distance `distance2` of scaled points.
__device__ inline double euclidean_value(double distance2, FormulaKind kind) {
  if (kind == FormulaKind::rbf) return full_exp2(-0.5 * distance2);
  const double distance = sqrt(distance2);
  const double t = distance * 0.69314718055994531;
  const double tail = full_exp2(-distance);
  if (kind == FormulaKind::matern12) return tail;
  if (kind == FormulaKind::matern32) return fma(t, tail, tail);
  return fma(fma(t, 1.0 / 3.0, 1.0), t, 1.0) * tail;
}
__device__ inline float euclidean_value(float distance2, FormulaKind kind) {
  if (kind == FormulaKind::rbf) return exp2f(-0.5f * distance2);
  const float distance = sqrtf(distance2);
  const float t = distance * 0.69314718f;
  const float tail = exp2f(-distance);
  if (kind == FormulaKind::matern12) return tail;
  if (kind == FormulaKind::matern32) return fmaf(t, tail, tail);
  return fmaf(fmaf(t, 1.0f / 3.0f, 1.0f), t, 1.0f) * tail;
}

}  // namespace stkr::cuda
