#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stkr/dataset/dataset.hpp"

namespace stkr {

// Lines "node node [weight]", separated by tabs, commas, semicolons or spaces; lines that start
// with # or % are comments. A first line is skipped where it names the columns: source and target,
// from and to, src and dst, node1 and node2, in any case, or u and v, i and j above numbers.
//
// Each line is an undirected edge. A pair named several times, in either order, is still one edge,
// with the largest of its weights: lists often give both directions, or one twice.
//
// Nodes are integers or any text in UTF-8. Integers are node numbers when 0 and at least half of 0,
// ..., max occur, or when a comment "# nodes N" says how many there are; gaps are then isolated
// nodes, and an edge of any other node is an error. Otherwise they are names, and nodes come in
// ascending order of their names.
struct EdgeListGraph {
  Graph graph;
  std::vector<std::string> notes;
};
EdgeListGraph load_edge_list(const std::filesystem::path& path);

// Tab-separated, each edge once, the weights only where they are not all 1, and the number of nodes
// as a comment so that isolated ones come back. With names they do not: returns how many are lost.
Index save_edge_list(const std::filesystem::path& path, const Graph& graph);

}  // namespace stkr
