#pragma once

#include <span>

#include "stkr/linop/csr_matrix.hpp"

namespace stkr {

// Summary of a graph.
struct GraphStatistics {
  Index nodes = 0;
  Index entries = 0;  // an edge between two nodes counts twice
  Index isolated_nodes = 0;

  // Degrees count edges and ignore weights.
  Index smallest_degree = 0;
  Index median_degree = 0;
  Index largest_degree = 0;
  double mean_degree = 0.0;

  double smallest_weight = 0.0;
  double largest_weight = 0.0;

  // Connected components; a node without edges is its own component.
  Index components = 0;
  Index largest_component = 0;
  Index components_without_label = 0;
  Index nodes_without_label = 0;  // nodes in those components: samples without evidence
};

// `labeled` lists the labeled nodes. Throws ValueError if one is out of range.
GraphStatistics graph_statistics(const CsrMatrix& graph, std::span<const Index> labeled);

}  // namespace stkr
