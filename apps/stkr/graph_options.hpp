#pragma once

#include <string>

#include "command.hpp"
#include "memory_option.hpp"
#include "standard_input.hpp"
#include "stkr/dataset/load_dataset.hpp"
#include "stkr/gram/neighbor_graph.hpp"

namespace stkr::app {

// What `stkr graph` is asked for.
struct GraphArguments {
  std::string input;
  std::string output;
  NeighborGraphOptions graph;
  std::string weight = to_string(NeighborGraphOptions{}.weight);
  std::string rule = to_string(NeighborGraphOptions{}.rule);
  Index parts = 0;  // of --partition; 0: the graph of points is built
  FormatOptions format;
  LoadOptions load;
  MemoryOption memory;
  CommonOptions common;
};
void add_graph_options(CLI::App& command, GraphArguments& arguments);

// The options of the graph. Throws CLI::ValidationError if they contradict each other, or would
// have no effect.
NeighborGraphOptions neighbor_options(const GraphArguments& arguments);

// Throws CLI::ValidationError, or WriteError, before any work starts.
void check_graph_files(const GraphArguments& arguments);

}  // namespace stkr::app
