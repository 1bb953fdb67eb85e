#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "stkr/linop/csr_matrix.hpp"

namespace stkr {

// Edges from new nodes (rows) to `known` old ones (columns), in the order of the new nodes and a
// few of these at a time: memory does not grow with their number.
class NewEdgeStream {
 public:
  virtual ~NewEdgeStream() = default;

  // At most `most` further nodes, none at the end: rows sorted, weights checked.
  virtual CsrMatrix next(Index most) = 0;
  // Whether new nodes have names, and those of the nodes that next() handed out last.
  virtual bool has_names() const { return false; }
  virtual std::span<const std::string> names() const { return {}; }
  virtual double progress() const = 0;  // the share of the file that was read, 0 to 1
  // The last nodes may be missing because they have no edge: a list names only those that have one.
  virtual bool may_leave_out_nodes() const { return false; }
};

struct NewEdgeOptions {
  // Of the known nodes, by which a list is matched; empty: they are counted from 0. They must
  // outlive the stream.
  std::span<const std::string> known_names = {};
  // New nodes are counted from 0 even where known ones have names: rows of a table of features.
  bool numbered = false;
  Index held = 1 << 20;  // edges of a list that may come in any order
};

// An .npz matrix of CSR parts, new × known; a Matrix Market file of that shape, which is held
// whole; or a list of lines "new known [weight]".
//
// In a list nodes are counted from 0, or have names where the known ones do: a name of the second
// column is that of a known node, one of the first is not, and new nodes come in the order in which
// they appear. A million edges may come in any order, and more have to be sorted by the new node.
// Throws DataError with file and place.
std::unique_ptr<NewEdgeStream> open_new_edges(const std::filesystem::path& path, Index known,
                                              const NewEdgeOptions& options = {});

// All of them.
CsrMatrix load_new_edges(const std::filesystem::path& path, Index known,
                         const NewEdgeOptions& options = {});

}  // namespace stkr
