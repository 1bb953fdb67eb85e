#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "csr_rows.hpp"
#include "stkr/linop/csr_matrix.hpp"

namespace stkr::detail {

// Throws DataError unless the arrays describe a matrix, possibly with unsorted columns. After this
// every index is in range.
void check_csr_structure(const CsrMatrix& matrix, const std::string& where);

// Sorts columns, adds up duplicates and drops zeros. Does nothing if the matrix is already
// canonical.
CsrMatrix canonical(CsrMatrix matrix);

// Keeps the largest of duplicate entries; drops zeros.
std::vector<Triplet> largest_of_each(std::vector<Triplet> triplets);

double value_at(const CsrMatrix& matrix, Index row, Index column);

// Converts sparse points to a dense matrix. Throws DataError if the dense matrix would exceed
// `most_bytes`, or would be disproportionately larger than the number of entries: a small malicious
// file must not exhaust the memory.
Matrix densified(const CsrMatrix& matrix, std::uint64_t most_bytes, const std::string& where);

}  // namespace stkr::detail
