#pragma once

#include "dataset/graph_statistics.hpp"
#include "shared_graph.hpp"

namespace stkr::petsc {

// The statistics of a graph and its labels that one machine would report. Called by all processes.
GraphStatistics shared_statistics(const SharedGraph& graph);

}  // namespace stkr::petsc
