#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>

#include "stkr/gram/point_gram.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// How a fit is carried out. These settings affect time, memory and rounding. plan/plan
// chooses them for the memory budget.
struct Execution {
  Tiles tiles = Tiles::evaluated;  // of a point kernel
  bool single_precision = false;   // of points and tiles; sums stay in double
  // The basis of default length scales (model/prepare_gram), if it is known already.
  std::optional<double> neighbor_distance{};
  // Squared row norms of node features by the number of smoothing steps, if they are known already.
  std::shared_ptr<const std::map<Index, Vector>> smoothed_squares{};
  // Largest sample count for which a dense matrix is formed, to factorize it (reciprocal
  // transforms) or to diagonalize it (kernel PCA), if products cost N² anyway.
  Index factorize_below = 3000;
  Index diagonalize_below = 4000;
  Index most_direct = 6000;  // most labels for which the n × n system is formed by default
  std::size_t block_bytes = std::size_t{1} << 27;  // for one N × n block; beyond that, batches
  Index outputs_at_once = 0;                       // columns of the N × C blocks at a time; 0: all
};

// Calls part(first, count) for `columns` in batches of at most `at_once`; 0: all in one batch.
template <class Part>
void for_batches(Index columns, Index at_once, Part&& part) {
  const Index batch = at_once > 0 ? at_once : columns;
  for (Index first = 0; first < columns; first += batch) {
    part(first, first + batch < columns ? batch : columns - first);
  }
}

}  // namespace stkr
