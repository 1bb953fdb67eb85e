#pragma once

#include <filesystem>
#include <memory>

#include "graph_source.hpp"

namespace stkr::petsc {

// A graph as text: a list of edges or a coordinate matrix (Matrix Market). Every process reads the
// lines that start in its part of the file, and sends the entries to those that have their rows.
// What edges are listed several times, or in one direction, means the same as on one machine. Nodes
// have to be numbers from 0: names are refused.
std::unique_ptr<GraphSource> edge_list_source(const std::filesystem::path& path,
                                              const LoadOptions& options);
std::unique_ptr<GraphSource> matrix_market_source(const std::filesystem::path& path);

}  // namespace stkr::petsc
