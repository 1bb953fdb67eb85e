#pragma once

#include <functional>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

// Where the rows of a sparse matrix are cut into consecutive parts of about as many entries plus
// rows each: the first row of every part, then the number of rows. `entries_before` says how many
// entries all rows before one have, and never decreases. A row is never divided.
std::vector<Index> row_cuts(Index rows, Index parts,
                            const std::function<Index(Index row)>& entries_before);

}  // namespace stkr
