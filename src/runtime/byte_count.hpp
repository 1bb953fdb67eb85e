#pragma once

#include <algorithm>
#include <cstdint>

#include "stkr/matrix.hpp"

namespace stkr {

// count·each bytes, computed in floating point because sizes may be far beyond any memory.
inline std::uint64_t byte_count(Index count, double each) {
  return static_cast<std::uint64_t>(static_cast<double>(std::max<Index>(count, 0)) * each);
}

// Bytes of `count` blocks of rows × columns doubles.
inline std::uint64_t block_byte_count(Index rows, double columns, double count = 1.0) {
  return byte_count(rows, 8.0 * columns * count);
}

}  // namespace stkr
