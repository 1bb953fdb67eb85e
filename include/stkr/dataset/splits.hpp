#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stkr/dataset/dataset.hpp"

namespace stkr {

// Returns `per_class` random samples of each class in ascending order, for keep_only. Throws
// ValueError if a class has fewer.
std::vector<Index> labeled_per_class(const ClassLabels& labels, Index per_class,
                                     std::uint64_t seed);

struct Split {
  std::vector<Index> kept;      // ascending
  std::vector<Index> held_out;  // ascending
};

// Holds out `count` random elements of {0, ..., total-1}, or a fraction of them, rounded.
Split split_off(Index total, Index count, std::uint64_t seed);
Split split_off_share(Index total, double share, std::uint64_t seed);

// Rows and columns of the chosen nodes, in the order given.
CsrMatrix induced_subgraph(const CsrMatrix& graph, std::span<const Index> nodes);

// Rows of the new nodes, columns of the known nodes: the edges of new nodes to the known graph.
CsrMatrix cross_edges(const CsrMatrix& graph, std::span<const Index> new_nodes,
                      std::span<const Index> known_nodes);

// The chosen samples, in the order given, with their labels.
Dataset subset(const Dataset& dataset, std::span<const Index> samples);

}  // namespace stkr
