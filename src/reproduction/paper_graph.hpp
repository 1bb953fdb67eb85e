#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reproduction/paper_results.hpp"
#include "stkr/dataset/dataset.hpp"

namespace stkr {

// A graph of the paper's experiments as its authors obtained it from PyTorch Geometric: undirected,
// unweighted, without self-loops, with a class for every node. Not all published files are like
// this.
struct PaperGraph {
  Dataset dataset;
  std::string fingerprint;            // of the file's bytes
  std::vector<std::string> warnings;  // counts that differ from the paper's
};

// NAME.npz in `folder`.
std::filesystem::path paper_graph_path(const std::filesystem::path& folder,
                                       const PaperDataset& dataset);

// Reads an .npz file in the layout of shchur/gnn-benchmark (adj_indptr, adj_indices, labels).
// Throws DataError if it cannot be read, contains no graph, or has a node without a class.
PaperGraph load_paper_graph(const std::filesystem::path& path, const PaperDataset& expected);

}  // namespace stkr
