#pragma once

#include <string>

#include "petsc_block.hpp"
#include "stkr/linop/csr_matrix.hpp"

namespace stkr::petsc {

// Rows of an adjacency matrix in canonical form, as checked_adjacency makes the whole: columns
// sorted, duplicates added up, zeros dropped. `rows` has the rows of this process and columns of
// all N. An asymmetric matrix is an error in all processes unless `symmetrize` is set; then, or if
// the asymmetry is within rounding, the larger weight of the two directions is used. Entries whose
// transposes are elsewhere are exchanged in rounds of bounded size.
CsrMatrix checked_weights(const Layout& layout, CsrMatrix rows, bool symmetrize,
                          const std::string& where);

// The entries of positive rows whose transposes are entries, too. Called by all processes.
CsrMatrix mutual_weights(const Layout& layout, CsrMatrix rows);

}  // namespace stkr::petsc
