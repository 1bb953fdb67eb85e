#pragma once

#include <vector>

#include "graph_source.hpp"
#include "petsc_block.hpp"
#include "stkr/linop/csr_matrix.hpp"

namespace stkr::petsc {

// Sends every entry to the process that has its row and sorts what comes by row; entries of a row
// are in the order of the processes that sent them, and of these in the order in which they were
// passed. Called by all processes together: callers bound what is sent at a time.
std::vector<Triplet> exchanged(const RowLayout& layout, std::vector<Triplet> entries);

// The entries that a process sends in one round, so that memory stays bounded.
inline constexpr Index kRoundEntries = Index{1} << 22;

// The same rows, cut at equal shares of entries plus rows. They move in rounds.
OwnRows balanced(OwnRows own);

}  // namespace stkr::petsc
