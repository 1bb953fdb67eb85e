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
  // The samples whose labels count, from 0: an array of the file, or the path of a .npy or .txt
  // file; of a matrix one row, as in "labeled_10[3]". It wins over the convention that class -1 is
  // unlabeled. Empty: the array `labeled` if there is one, else every label counts.
  std::string labeled = {};
  Task task = Task::automatic;
  // Of the nodes of a graph: read those in the file, if there are any, rather than say that they
  // are there. Or the path of points in any format, a row per node, which implies it.
  bool node_features = false;
  std::string features_file = {};
  std::optional<DatasetKind> kind = {};  // where the file leaves a choice
  bool symmetrize = false;               // for directed graphs; otherwise they are an error
  bool minus_one_is_unlabeled = true;    // unless an index says which samples are labeled
  std::optional<Index> features = {};    // of svmlight points, which do not say; at least as many
  // Of points to predict: a column of such a name is a feature, even if it looks like a label.
  std::vector<std::string> feature_names = {};
  std::uint64_t most_dense_bytes = std::uint64_t{4} << 30;  // for sparse points, stored densely
};

// Reads a data set; the format follows from the first bytes and the extension (file_format.hpp).
// Where there is no such file but a shipped data set of that name, that one.
//
//   npz  graph: adj_data (optional), adj_indices, adj_indptr, adj_shape, or the same without adj_,
//        as scipy.sparse.save_npz writes; node features beside it, and points: X or attr_matrix, or
//        the CSR parts X_* or attr_*; kernel, only when asked for: K
//   npy  points; a kernel when asked for
//   mtx  coordinate: graph, or points when asked for; array: points, or a kernel when asked for
//   csv  points; a graph (an edge list) when asked for
//   tsv, txt, edges  graph; points when asked for
//
// Throws DataError with the file, the place, what was found and what was expected.
Dataset load_dataset(const std::filesystem::path& path, const LoadOptions& options = {});

}  // namespace stkr
