#pragma once

#include <cstdint>
#include <vector>

#include "stkr/linop/matrix.hpp"

// Equal points: rows with the same bytes, so without negative zeros.
namespace stkr {

// Where to find a row by its hash: a power of two of slots, at most half of them taken by the
// number of a row, the others -1. A row stands in the first slot from its hash on that was free.
std::vector<std::int32_t> hash_rows(const MatrixF& points);

// The row of `points`, which `slots` were made for, that equals row i of `queries`; -1: none.
Index find_row(const MatrixF& points, const std::vector<std::int32_t>& slots,
               const MatrixF& queries, Index i);

// Moves the first of each set of equal rows up, in order, and says which of them each row is.
std::vector<std::int32_t> keep_distinct(MatrixF& points);

}  // namespace stkr
