#pragma once

#include <cstdint>

#include "stkr/matrix.hpp"

namespace stkr::simd {

// The compiler's vector types (GCC and Clang): + - * and fused multiply-adds work on them as on
// scalars, so the code needs no intrinsics. They have as many lanes as the instruction set, so a
// build without -march=native is correct, only slower.
template <class Scalar>
inline constexpr int lanes = Eigen::internal::packet_traits<Scalar>::size;

// AVX-512 has 32 registers, its predecessors 16. Limits the number of accumulators in a loop.
inline constexpr bool many_registers = lanes<double> >= 8;

// Loads and stores through these types may be unaligned and may alias the scalars they cover.
template <class Scalar, int Lanes>
struct VectorOf {
  typedef Scalar type
      __attribute__((vector_size(Lanes * sizeof(Scalar)), aligned(alignof(Scalar)), may_alias));
};

template <class Scalar, int Lanes>
using Vec = typename VectorOf<Scalar, Lanes>::type;

template <class Scalar, int Lanes>
inline Vec<Scalar, Lanes> load(const Scalar* from) {
  return *reinterpret_cast<const Vec<Scalar, Lanes>*>(from);
}

template <class Scalar, int Lanes>
inline void store(Scalar* to, Vec<Scalar, Lanes> v) {
  *reinterpret_cast<Vec<Scalar, Lanes>*>(to) = v;
}

}  // namespace stkr::simd
