#pragma once

#include <cstdint>
#include <vector>

#include "stkr/linop/csr_matrix.hpp"
#include "stkr/matrix.hpp"

// Equal points are rows with the same bytes, which therefore must not contain negative zeros.
namespace stkr {

// A hash table of rows with linear probing: a power of two slots, at most half of them taken by row
// numbers, the others -1. Points is MatrixF or CsrMatrix; sparse rows have no zeros.
template <class Points>
std::vector<std::int32_t> hash_rows(const Points& points);

// The row of `points` that equals row i of `queries`, or -1. `slots` is hash_rows(points).
template <class Points>
Index find_row(const Points& points, const std::vector<std::int32_t>& slots, const Points& queries,
               Index i);

// Removes duplicate rows and keeps the first of each, in order. Returns the kept row of each row.
std::vector<std::int32_t> keep_distinct(MatrixF& points);
std::vector<std::int32_t> keep_distinct(CsrMatrix& points);

}  // namespace stkr
