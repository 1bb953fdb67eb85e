#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "stkr/dataset/dataset.hpp"

namespace stkr {

struct LoadOptions {
  // An array or column of the file, or the path of a .npy, .csv or .txt file (one label per line).
  // Empty: the array `labels` or `y`; the column label, class, target or y; none if there is none.
  std::string labels = {};
  // Indices, from 0, of the samples whose labels are used: an array of the file, or the path of a
  // .npy or .txt file; "labeled_10[3]" selects one row of a matrix. It takes precedence over the
  // convention that class -1 is unlabeled. Empty: the array `labeled` if there is one, else all
  // labels are used.
  std::string labeled = {};
  Task task = Task::automatic;
  // Whether to read the node features in a graph's file, if any, instead of only noting that they
  // exist. `features_file` is the path of points in any format, one row per node; it implies
  // node_features.
  bool node_features = false;
  std::string features_file = {};
  std::optional<DatasetKind> kind = {};  // if the file allows several
  bool symmetrize = false;               // directed graphs, which are an error otherwise
  bool minus_one_is_unlabeled = true;    // unless an index lists the labeled samples
  std::optional<Index> features = {};    // minimum width of svmlight points
  // Feature names of points to predict: such a column is a feature even if it looks like a label.
  std::vector<std::string> feature_names = {};
  std::uint64_t most_dense_bytes = std::uint64_t{4} << 30;  // for sparse points, stored densely
};

// Reads a data set. The format follows from the first bytes and the extension (file_format.hpp). If
// no such file exists, `path` may be the name of a shipped data set.
//
//   npz  graph: adj_data (optional), adj_indices, adj_indptr, adj_shape, or the same without adj_,
//        as scipy.sparse.save_npz writes; node features and points: X or attr_matrix, or the CSR
//        parts X_* or attr_*; kernel, only if requested: K
//   npy  points; a kernel if requested
//   mtx  coordinate: graph, or points if requested; array: points, or a kernel if requested
//   csv  points; a graph (an edge list) if requested
//   tsv, txt, edges  graph; points if requested
//
// Throws DataError with the file, the place, what was found, and what was expected.
Dataset load_dataset(const std::filesystem::path& path, const LoadOptions& options = {});

}  // namespace stkr
