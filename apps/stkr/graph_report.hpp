#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "stkr/gram/neighbor_graph.hpp"

namespace stkr::app {

// What `stkr graph` says about a graph of nearest neighbors.
struct GraphReport {
  std::string data;  // the points
  NeighborGraphOptions options;
  bool approximate = false;
  double recall = 1.0;
  double length_scale = 1.0;
  Index copies = 0;  // points that equal an earlier one
  double seconds = 0.0;
  std::uint64_t planned = 0, memory = 0;  // bytes: needed, and allowed
  std::string output;
};

// `graph` is what --json says about the graph as a data set.
nlohmann::json graph_json(const GraphReport& report, nlohmann::json graph);

// `statistics` are the fields of the graph (graph_fields).
void print_graph_report(const GraphReport& report,
                        std::vector<std::pair<std::string, std::string>> statistics);

}  // namespace stkr::app
