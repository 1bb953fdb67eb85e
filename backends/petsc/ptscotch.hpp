#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "stkr/matrix.hpp"

// PTScotch itself, not through PETSc's MatPartitioning: that casts PETSc's 64-bit indices to the
// numbers of PTScotch, which have 32 bits in Debian's PETSc with 64-bit indices, so that it reads
// past the graph.
namespace stkr::petsc {

// A graph's rows of one process: neighbors are numbers of all nodes, without loops.
struct AdjacencyLists {
  std::vector<Index> start{}, neighbor{}, work{};  // `work` weighs each row
};

bool has_ptscotch();  // in this build
// The most entries that a graph of all processes may have.
extern const std::int64_t kMostPartitioned;

// The part of each row of this process. Called by all processes of `comm` together.
std::vector<Index> ptscotch_parts(MPI_Comm comm, const AdjacencyLists& lists, Index parts);

}  // namespace stkr::petsc
