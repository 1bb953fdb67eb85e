#pragma once

#include <filesystem>
#include <memory>

#include "stkr/linop/csr_matrix.hpp"

namespace stkr {

// Edges from new nodes (rows) to `known` old ones (columns), in the order of the new nodes and a
// few of these at a time: memory does not grow with their number.
class NewEdgeStream {
 public:
  virtual ~NewEdgeStream() = default;

  // At most `most` further nodes, none at the end: rows sorted, weights checked.
  virtual CsrMatrix next(Index most) = 0;
  virtual double progress() const = 0;  // the share of the file that was read, 0 to 1
  // The last nodes may be missing because they have no edge: a list names only those that have one.
  virtual bool may_leave_out_nodes() const { return false; }
};

// An .npz matrix of CSR parts, new × known; a Matrix Market file of that shape, which is held
// whole; or a list of lines "new known [weight]", both counted from 0, of which a million may come
// in any order and more have to be sorted by the new node. Throws DataError with file and place.
std::unique_ptr<NewEdgeStream> open_new_edges(const std::filesystem::path& path, Index known);

// All of them.
CsrMatrix load_new_edges(const std::filesystem::path& path, Index known);

}  // namespace stkr
