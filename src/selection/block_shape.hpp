#pragma once

#include <algorithm>

#include "estimator/solve_cost.hpp"

namespace stkr {

// What the memory and the work of a grid's blocks depend on.
struct BlockShape {
  SolveShape solve{};
  Index scored = 0;          // samples
  Index labels_at_once = 1;  // columns of an N × n block
  int threads = 1;

  double labels() const { return static_cast<double>(std::max<Index>(solve.labels, 1)); }
  double rows() const { return labels() + static_cast<double>(scored); }  // of a block of K̂_s
};

// How many columns of an N × n block fit into some bytes.
inline Index labels_at_once(Index samples, Index labels, std::size_t block_bytes) {
  const auto bytes_per_label =
      static_cast<std::size_t>(std::max<Index>(samples, 1)) * sizeof(double);
  return std::clamp<Index>(static_cast<Index>(block_bytes / bytes_per_label), 1,
                           std::max<Index>(labels, 1));
}

}  // namespace stkr
