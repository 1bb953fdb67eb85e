#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "csr_rows.hpp"
#include "stkr/linop/csr_matrix.hpp"

namespace stkr::detail {

// Throws DataError unless the arrays describe a matrix, in a form that may still be unsorted. After
// this every index is in range.
void check_csr_structure(const CsrMatrix& matrix, const std::string& where);

// Sorts columns, adds up duplicates and drops zeros; does nothing when all is well already.
CsrMatrix canonical(CsrMatrix matrix);

// Of entries for the same place keeps the largest; drops zeros.
std::vector<Triplet> largest_of_each(std::vector<Triplet> triplets);

double value_at(const CsrMatrix& matrix, Index row, Index column);

// Writes out a sparse matrix of points. Throws DataError when the dense one would exceed
// `most_bytes`, or is out of all proportion to the entries: a small hostile file must not fill the
// memory.
Matrix densified(CsrRows rows, std::uint64_t most_bytes);
Matrix densified(const CsrMatrix& matrix, std::uint64_t most_bytes, const std::string& where);

}  // namespace stkr::detail
