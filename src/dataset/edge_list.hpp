#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stkr/dataset/load_dataset.hpp"

namespace stkr {

// Lines "node node [weight]", separated by tabs, commas, semicolons or spaces; lines that start
// with # or % are comments. The first line is skipped if it names the columns: source and target,
// from and to, src and dst, node1 and node2, in any case, or u and v, i and j above numbers.
//
// Each line is an undirected edge, or a directed one if `symmetrize` is set. A pair that occurs
// several times, in either order, is one edge: see LoadOptions::duplicates. By default it has the
// largest of its weights, since lists often contain both directions.
//
// Nodes are integers or any text in UTF-8. Integers are node numbers if 0 and at least half of 0,
// ..., max occur, or if a comment "# nodes N" gives the number of nodes; gaps are then isolated
// nodes, and an edge of any other node is an error. Otherwise integers are names. Named nodes are
// in ascending order of their names.
struct EdgeListGraph {
  Graph graph;
  std::vector<std::string> notes;
};
EdgeListGraph load_edge_list(const std::filesystem::path& path, const LoadOptions& options = {});

// Writes a tab-separated list with each edge once, weights unless all are 1, and the number of
// nodes as a comment, which preserves isolated nodes. If nodes have names, isolated nodes are lost.
// Returns the number of lost nodes. Throws ValueError for names that a line cannot hold: empty
// ones, and those with line ends, zero bytes, or # or % at the start.
Index save_edge_list(const std::filesystem::path& path, const Graph& graph);

}  // namespace stkr
