#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "stkr/dataset/dataset.hpp"

namespace stkr {

// Lines "node node [weight]", separated by tabs, commas, semicolons or spaces; lines that start
// with # or % are comments, and a first line of names is skipped.
//
// Each line is an undirected edge. A pair named several times, in either order, is still one edge,
// with the largest of its weights: lists often give both directions, or one twice.
//
// Nodes are integers or any text. Integers are node numbers when 0 and at least half of 0, ..., max
// occur, or when a comment "# nodes N" says how many there are; gaps are then isolated nodes.
// Otherwise they are names, and nodes come in ascending order of their names.
struct EdgeListGraph {
  Graph graph;
  std::vector<std::string> notes;
};
EdgeListGraph load_edge_list(const std::filesystem::path& path);

// Lines "new known [weight]" with integers from 0, read a few new nodes at a time. Their number is
// the largest plus one, or what a comment "# nodes M" says. A million edges are held, and may come
// in any order; what is longer than that has to be sorted by the new node.
class CrossEdgeReader {
 public:
  CrossEdgeReader(const std::filesystem::path& path, Index known, Index held = 1 << 20);
  ~CrossEdgeReader();

  // At most `most` further nodes × known, none at the end.
  CsrMatrix next(Index most);
  double progress() const;  // the share of the file that was read, 0 to 1

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Tab-separated, each edge once, the weights only where they are not all 1, and the number of nodes
// as a comment so that isolated ones come back. With names they do not: returns how many are lost.
Index save_edge_list(const std::filesystem::path& path, const Graph& graph);

}  // namespace stkr
