#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "stkr/dataset/load_dataset.hpp"
#include "stkr/linop/csr_matrix.hpp"

namespace stkr {

// Edges from new nodes (rows) to `known` existing nodes (columns), in the order of the new nodes
// and a few nodes at a time: memory does not grow with their number.
class NewEdgeStream {
 public:
  virtual ~NewEdgeStream() = default;

  // Returns up to `most` further nodes, and no rows at the end. Rows are sorted, weights checked.
  virtual CsrMatrix next(Index most) = 0;
  // Whether new nodes have names, and the names of the nodes that next() returned last.
  virtual bool has_names() const { return false; }
  virtual std::span<const std::string> names() const { return {}; }
  virtual double progress() const = 0;  // fraction of the file read, 0 to 1
  // Number of edges listed several times, among those that next() has returned.
  virtual Index duplicates() const { return 0; }
  // Whether the last nodes may be missing: a list contains only nodes that have an edge.
  virtual bool may_leave_out_nodes() const { return false; }
};

struct NewEdgeOptions {
  // Names of the known nodes, used by lists; empty: known nodes are numbered from 0. Must outlive
  // the stream.
  std::span<const std::string> known_names = {};
  // New nodes are numbered from 0 even if known nodes have names: rows of a feature table.
  bool numbered = false;
  std::string format = {};                              // LoadOptions::format
  DuplicateEdges duplicates = DuplicateEdges::largest;  // of lists
  Index held = 1 << 20;  // number of list edges that may be in any order
};

// Opens an .npz matrix in CSR parts, new × known; a Matrix Market file of that shape, which is
// loaded completely; or a list of lines "new known [weight]".
//
// In a list, nodes are numbered from 0, or have names if the known nodes do: a name in the second
// column is a known node, a name in the first column is not, and new nodes are ordered by first
// appearance. Up to a million edges may be in any order; longer lists must be sorted by new node.
// Throws DataError with the file and place.
std::unique_ptr<NewEdgeStream> open_new_edges(const std::filesystem::path& path, Index known,
                                              const NewEdgeOptions& options = {});

// Returns all edges.
CsrMatrix load_new_edges(const std::filesystem::path& path, Index known,
                         const NewEdgeOptions& options = {});

}  // namespace stkr
