#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stkr/dataset/dataset.hpp"

namespace stkr {

// The weight of an edge that a list contains several times.
enum class DuplicateEdges { largest, sum, error };

struct LoadOptions {
  // An array or column of the file, or the path of a .npy, .csv or .txt file (one label per line).
  // Empty: the array `labels` or `y`; the column label, labels, class, target or y, in any case;
  // none if there is none.
  std::string labels = {};
  // Indices, from 0, of the samples whose labels are used: an array of the file, or the path of a
  // .npy or .txt file; "labeled_10[3]" selects one row of a matrix. It takes precedence over the
  // convention that class -1 is unlabeled. Empty: the array `labeled` if there is one, else all
  // labels are used.
  std::string labeled = {};
  // The format of the file by its usual extension, "csv"; empty: by its own extension.
  std::string format = {};
  Task task = Task::automatic;
  // Whether to read the node features in a graph's file, if any, instead of only noting that they
  // exist. `features_file` is the path of points in any format, one row per node, or names node
  // attributes of a GraphML file, separated by commas, or a key in obsm of AnnData; it implies
  // node_features.
  bool node_features = false;
  std::string features_file = {};
  std::optional<DatasetKind> kind = {};  // if the file allows several
  bool symmetrize = false;               // directed graphs, which are an error otherwise
  // AnnData: the graph in obsp (default: connectivities) or the points in obsm (default: X_pca).
  std::string key = {};
  // Lists and GraphML. An edge has no direction there, unless `symmetrize` is set: then the edges
  // of each direction are combined by this rule, and the larger weight of the two is used.
  DuplicateEdges duplicates = DuplicateEdges::largest;
  bool minus_one_is_unlabeled = true;  // unless an index lists the labeled samples
  std::optional<Index> features = {};  // minimum width of svmlight points
  // Feature names of points to predict: such a column is a feature even if it looks like a label.
  std::vector<std::string> feature_names = {};
  // Tables (.csv, .tsv): the column with the names of samples (empty: a column id or index, or an
  // unnamed first column; "none": no column), columns to leave out, columns whose texts and numbers
  // are categories, marks of missing cells instead of the usual ones, and whether the first line is
  // a header, if that is known.
  std::string id = {};
  std::vector<std::string> drop = {};
  std::vector<std::string> categorical = {};
  std::vector<std::string> missing = {};
  std::optional<bool> header = {};
  bool impute = false;       // fill missing features with the median of their column
  bool standardize = false;  // points: every feature has mean 0 and standard deviation 1
  // Of the model, for new samples.
  const TableEncoding* encoding = nullptr;
  std::uint64_t most_dense_bytes = std::uint64_t{4} << 30;  // for a kernel in a sparse file
};

// Reads a data set. The format follows from the first bytes and the extension (file_format.hpp). If
// no such file exists, `path` may be the name of a shipped data set.
//
//   npz  graph: adj_data (optional), adj_indices, adj_indptr, adj_shape, or the same without adj_,
//        as scipy.sparse.save_npz writes; node features and points: X or attr_matrix, or the CSR
//        parts X_* or attr_*; kernel, only if requested: K
//   npy  points; a kernel if requested
//   mtx  coordinate: graph, or points if requested; array: points, or a kernel if requested
//   csv  points (docs/formats.md has the rules for columns); a graph (an edge list) if requested
//   tsv, txt, edges  graph; points if requested
//   graphml  graph; node attributes as labels and features
//   h5ad  graph: obsp/connectivities; points: obsm/X_pca; labels: a column of obs
//
// Text formats may be compressed by gzip.
// Throws DataError with the file, the place, what was found, and what was expected.
Dataset load_dataset(const std::filesystem::path& path, const LoadOptions& options = {});

// A small data set embedded in the library: no file is needed at run time.
struct ShippedInfo {
  std::string name;
  DatasetKind kind;
  Index samples;
  Index features;  // of points; 0 for graphs
  Index entries;   // of the adjacency matrix, each edge twice; 0 for points
  Index classes;
  std::string description;
  std::string source;
  std::string license;
};

std::vector<ShippedInfo> shipped_datasets();

// Throws DataError, with the available names, if no shipped data set has this name.
Dataset load_shipped(std::string_view name, const LoadOptions& options = {});

}  // namespace stkr
