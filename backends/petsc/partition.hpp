#pragma once

#include <vector>

#include "shared_graph.hpp"
#include "stkr/dataset/dataset.hpp"

namespace stkr::petsc {

// The rows of a symmetric matrix in parts with few entries between them, each with about as many
// entries plus rows as the others, by PTScotch.
struct Partition {
  // For each row of this process, its number if rows are numbered by part, and within a part in
  // their order before.
  std::vector<Index> number;
  // Of all processes.
  std::vector<Index> rows;         // of each part
  std::vector<std::int64_t> work;  // entries plus rows of each part
  std::int64_t between = 0;        // entries whose row and column are in different parts
};

// Called by all processes together. Throws ParameterError unless there are between 1 and N parts,
// and for graphs that PTScotch does not partition.
Partition partitioned(const Layout& layout, const CsrMatrix& rows, Index parts);

// The graph with its nodes numbered so. Entries move in rounds; processes have equally many rows.
// Labels are not carried along.
SharedGraph renumbered(const SharedGraph& graph, const Partition& partition);

// In the first process, what it knows about all nodes, numbered so; their names, or their numbers
// before as names. The others get an empty data set.
Dataset renumbered(Dataset nodes, const RowLayout& layout, const Partition& partition);

}  // namespace stkr::petsc
