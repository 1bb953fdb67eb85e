#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stkr/dataset/load_dataset.hpp"

namespace stkr {

// A graph in GraphML, as NetworkX, igraph, Gephi and yEd write it, read in one pass. Nodes are in
// the order of the file. They are named by the attribute `name` if it is different for every node,
// else by their ids; ids 0, 1, ... or n0, n1, ... in order are numbers, not names. The weight of an
// edge is its attribute `weight`, or 1.
struct GraphmlGraph {
  Graph graph;
  std::vector<std::string> attributes;   // of nodes
  std::string label_attribute;           // the attribute found, or empty
  std::vector<std::string> label_cells;  // its values; empty for nodes without one
  std::optional<Points> features;        // if LoadOptions::features_file names attributes
  std::vector<std::string> notes;
};

// The label attribute is LoadOptions::labels if a node attribute has that name; if the option is
// empty, it is label, class or target, unless it is different for every labeled node.
//
// Throws DataError, with the line, for XML that is malformed or has a document type, for a directed
// graph unless LoadOptions::symmetrize is set, for hyperedges, nested graphs and undeclared nodes.
GraphmlGraph load_graphml(const std::filesystem::path& path, const LoadOptions& options = {});

}  // namespace stkr
