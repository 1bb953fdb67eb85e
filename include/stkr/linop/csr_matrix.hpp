#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

// Compressed sparse rows. Column indices have 32 bits because the product is memory-bound and
// graphs of more than 2³¹ nodes do not fit on one machine anyway.
struct CsrMatrix {
  Index rows = 0;
  Index cols = 0;
  std::vector<std::int64_t> row_start;  // rows + 1 entries, row_start[0] = 0
  std::vector<std::int32_t> column;     // row_start[rows] entries
  std::vector<double> value;            // as many entries as column

  Index entries() const { return static_cast<Index>(column.size()); }
};

// One entry of a matrix in coordinate form.
struct Triplet {
  std::int32_t row = 0;
  std::int32_t column = 0;
  double value = 0.0;
};

// Rows are sorted by column, duplicates are added. Throws ValueError if an index is out of range.
CsrMatrix csr_from_triplets(Index rows, Index cols, std::vector<Triplet> triplets);

// Sorts rows by column and adds duplicates, in place.
void sort_rows(CsrMatrix& matrix);

// Throws ShapeError or ValueError unless the arrays describe a matrix: row starts do not decrease
// and match the entries, columns are in range and strictly increasing within each row, values are
// finite. `who` starts the message.
void check_csr(const CsrMatrix& matrix, const char* who);

CsrMatrix transpose(const CsrMatrix& matrix);

// The entries that are not 0.
CsrMatrix without_zeros(CsrMatrix matrix);

// Rows [first, first + count).
CsrMatrix row_slice(const CsrMatrix& matrix, Index first, Index count);

// Some rows, in this order; they are in range.
CsrMatrix chosen_rows(const CsrMatrix& matrix, std::span<const Index> rows);

// scale · A(samples, samples) of a square A. `samples` are in range and strictly ascending.
CsrMatrix principal_submatrix(const CsrMatrix& matrix, std::span<const Index> samples,
                              double scale);

// The largest |A_ij - A_ji| of a matrix with sorted rows, and its position. Needs 8 bytes per row.
struct Asymmetry {
  double largest = 0.0;
  Index row = 0;
  Index column = 0;
};
Asymmetry asymmetry(const CsrMatrix& matrix);

// The entrywise maximum of A and Aᵀ: an edge in either direction becomes an edge in both, the usual
// meaning of a directed edge list.
CsrMatrix symmetrized(const CsrMatrix& matrix);

}  // namespace stkr
