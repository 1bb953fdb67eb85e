#pragma once

#include <cstddef>

#include "stkr/gram/point_gram.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// How a fit is carried out: a matter of time and memory, not of the answer. estimator/plan chooses
// these for the memory there is.
struct Execution {
  Tiles tiles = Tiles::evaluated;  // of a kernel of points
  // Samples up to which a dense matrix of theirs is formed: to be factorised (reciprocal
  // transforms) or diagonalised (kernel PCA), where products cost N² anyway.
  Index factorize_below = 3000;
  Index diagonalize_below = 4000;
  Index most_direct = 6000;  // labels up to which the n × n system is formed unasked
  std::size_t block_bytes = std::size_t{1} << 27;  // for one N × n block; more labels go in batches
  Index outputs_at_once = 0;                       // columns of the N × C blocks at a time; 0: all
};

// part(first, count) for `columns` in batches of at most `at_once`; 0: all in one.
template <class Part>
void for_batches(Index columns, Index at_once, Part&& part) {
  const Index batch = at_once > 0 ? at_once : columns;
  for (Index first = 0; first < columns; first += batch) {
    part(first, first + batch < columns ? batch : columns - first);
  }
}

}  // namespace stkr
