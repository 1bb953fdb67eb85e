#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "stkr/dataset/load_dataset.hpp"
#include "stkr/linop/csr_matrix.hpp"

namespace stkr {

// Edges as a file lists them, one entry per line, and what to do with those listed several times.
struct ListedEdges {
  std::vector<Triplet> edges;
  DuplicateEdges duplicates = DuplicateEdges::largest;
  // The edges are directed: those of each direction are combined first, then the larger weight of
  // the two directions is used. Otherwise an edge is the same in both directions.
  bool directed = false;
  std::string where;  // starts messages
  // The nodes of an edge, for messages: "'a' and 'b'".
  std::function<std::string(const Triplet&)> edge_name;
};

// Names the nodes of an edge by these names, or by their numbers if there are none. The names must
// outlive the function.
std::function<std::string(const Triplet&)> edge_namer(std::span<const std::string> names);

struct CombinedEdges {
  std::vector<Triplet> edges;  // sorted by row and column, each once, without zeros
  Index repeated = 0;          // edges that were listed several times
  Index differing = 0;         // of these, those with different weights
};
// Throws DataError if duplicates are an error.
CombinedEdges combined_edges(ListedEdges listed);

// "3 edges are listed more than once; ...".
std::string duplicates_note(DuplicateEdges rule, Index repeated, Index differing);

// Returns the symmetric adjacency matrix of these nodes, and adds such a note if it applies.
CsrMatrix undirected_adjacency(Index nodes, ListedEdges listed, std::vector<std::string>& notes);

}  // namespace stkr
