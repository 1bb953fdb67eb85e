#pragma once

#include <filesystem>

#include "shared_graph.hpp"
#include "stkr/dataset/dataset.hpp"

namespace stkr::petsc {

// Writes the .npz file that save_dataset would write of the whole graph. Rows go through the first
// process in their order, in parts of bounded size. `nodes` is what it knows about all nodes
// besides the edges; the others pass an empty data set. Throws in all processes; an existing file
// is then unchanged.
void save_graph(const SharedGraph& graph, const Dataset& nodes, const std::filesystem::path& path);

}  // namespace stkr::petsc
