#pragma once

#include "stkr/matrix.hpp"

namespace stkr {

class Random;

// fill_normal (block_algebra.hpp) for the rows from `first` on of a block of `rows`, for one of
// several processes.
void fill_normal_rows(Random& random, Index rows, Index first, MatrixRef x);

}  // namespace stkr
