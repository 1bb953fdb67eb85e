#pragma once

#include "graph_options.hpp"
#include "session.hpp"

namespace stkr::petsc {

// `stkr graph GRAPH --partition P`: writes the graph with its nodes numbered by part. The options
// of files and threads have been checked. Called by all processes; returns the exit code.
int partition_graph(const Session& session, const app::GraphArguments& arguments);

}  // namespace stkr::petsc
