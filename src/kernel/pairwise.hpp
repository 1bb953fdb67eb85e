#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernel/kernel_tile.hpp"
#include "runtime/simd_vector.hpp"

namespace stkr {

// The three sums over features from which kernels are computed. Each adds one feature of a point x
// (the same in all lanes) and of one point y per lane.
struct InnerProduct {
  template <class Scalar, class V>
  static V add(V sum, Scalar x, V y) {
    return sum + x * y;
  }
};
struct SquaredDistance {
  template <class Scalar, class V>
  static V add(V sum, Scalar x, V y) {
    const V difference = x - y;
    return sum + difference * difference;
  }
};
struct ManhattanDistance {
  template <class Scalar, class V>
  static V add(V sum, Scalar x, V y) {
    // |x - y| by clearing the sign bit: one instruction, where a comparison takes three.
    using Bits = decltype(V{} < V{});
    constexpr auto all_but_sign = std::numeric_limits<SignedBits<Scalar>>::max();
    return sum + (V)((Bits)(x - y) & (Bits{} + all_but_sign));
  }

 private:
  template <class Scalar>
  using SignedBits = std::conditional_t<sizeof(Scalar) == 8, std::int64_t, std::int32_t>;
};

// Keeps Rows × panel_width sums in registers over all features: each loaded vector of y serves
// every row, each feature of x a whole panel. With AVX-512 and 8 rows that is 24 multiply-adds for
// 11 loads. This works like a BLAS kernel, but with a choice of sum and no dispatch, so that small
// tiles run at full speed inside our own threads.
template <class Sum, int Rows, class Scalar>
inline void pairwise_panel(const Scalar* x, Index features, const Scalar* panel, Scalar* out,
                           Index stride) {
  constexpr int lanes = simd::lanes<Scalar>;
  constexpr int vectors = PackedPoints<Scalar>::panel_width / lanes;
  using V = simd::Vec<Scalar, lanes>;
  V sum[Rows][vectors] = {};
  for (Index k = 0; k < features; ++k) {
    V y[vectors];
    for (int v = 0; v < vectors; ++v) y[v] = simd::load<Scalar, lanes>(panel + v * lanes);
    panel += vectors * lanes;
    for (int i = 0; i < Rows; ++i) {
      const Scalar xi = x[i * features + k];
      for (int v = 0; v < vectors; ++v) sum[i][v] = Sum::add(sum[i][v], xi, y[v]);
    }
  }
  for (int i = 0; i < Rows; ++i) {
    for (int v = 0; v < vectors; ++v) {
      simd::store<Scalar, lanes>(out + i * stride + v * lanes, sum[i][v]);
    }
  }
}

// out(i, j) = Σ_k Sum(x_ik, y_jk), with the features in order: the result for a pair does not
// depend on its tile.
template <class Sum, class Scalar>
void pairwise(PointRows<Scalar> x, const PackedPoints<Scalar>& y, Scalar* out, Index stride) {
  constexpr int rows = simd::many_registers ? 8 : 4;
  for (Index p = 0; p < y.panels(); ++p) {
    const Scalar* panel = y.panel(p);
    Scalar* to = out + p * PackedPoints<Scalar>::panel_width;
    Index i = 0;
    for (; i + rows <= x.count; i += rows) {
      pairwise_panel<Sum, rows>(x.data + i * x.features, x.features, panel, to + i * stride,
                                stride);
    }
    for (; i < x.count; ++i) {
      pairwise_panel<Sum, 1>(x.data + i * x.features, x.features, panel, to + i * stride, stride);
    }
  }
}

}  // namespace stkr
