#pragma once

#include <string>
#include <variant>
#include <vector>

#include "stkr/dataset/load_dataset.hpp"
#include "stkr/dataset/npz.hpp"

namespace stkr::detail {

// What a reader of one format found, before labels from elsewhere and checks across both.
struct Parsed {
  std::variant<Points, Graph, PrecomputedKernel> samples;
  std::optional<Points> features;  // of nodes
  Labels labels;
  bool has_labels = false;              // `labels` is what the options ask for
  std::string label_type;               // "float64", say, of an array; empty for text
  std::vector<std::string> candidates;  // what LoadOptions::labels could name, for messages
  std::optional<std::vector<Index>> labeled;
  std::vector<std::string> notes;
};

Parsed parse_npz(const NpzReader& reader, const LoadOptions& options);
// The same without the samples.
Parsed parse_npz_labels(const NpzReader& reader, const LoadOptions& options);
// Where the samples of an archive are: an array, or the parts of a sparse matrix by their prefix.
struct NpzLayout {
  DatasetKind kind = DatasetKind::points;
  std::string array{};
  std::string parts{};
};
NpzLayout npz_layout(const NpzReader& reader, const LoadOptions& options);
Parsed parse_npy_file(const std::filesystem::path& path, const LoadOptions& options);
Parsed parse_matrix_market(const std::filesystem::path& path, const LoadOptions& options);
Parsed parse_edge_list(const std::filesystem::path& path, const LoadOptions& options);
Parsed parse_csv(const std::filesystem::path& path, const LoadOptions& options);
Parsed parse_svmlight(const std::filesystem::path& path, const LoadOptions& options);

// Where an archive holds points: the array of dense ones, or the prefix of the CSR parts of sparse
// ones.
std::string dense_points(const NpzReader& reader);  // empty for none
std::optional<std::string> sparse_points(const NpzReader& reader);

// Names of features or targets, where the archive has as many.
std::vector<std::string> optional_names(const NpzReader& reader, std::string_view name,
                                        Index count);
// Those of `count` nodes, none where the archive has none. Throws DataError unless every node has
// one of its own: new nodes are matched by them.
std::vector<std::string> read_node_names(const NpzReader& reader, Index count);

CsrMatrix read_csr(const NpzReader& reader, const std::string& prefix);

// "name[3]" names row 3 of the array `name`.
struct RowReference {
  std::string name;
  std::optional<Index> row;
};
RowReference parse_row_reference(const std::string& text);

// Indices of labeled samples: a vector of integers, one row of a matrix of them, or a mask of
// booleans.
std::vector<Index> index_from_array(NpyArray array, std::optional<Index> row);

// The labels of an array, or of the cells of text: in `parsed`, with a note of what was made of
// them.
void take_labels(NpyArray array, Task task, Parsed& parsed);
void take_labels(std::span<const std::string> cells, std::span<const std::string> columns,
                 Task task, const std::string& where, Parsed& parsed);
// Of columns of a table.
void take_label_columns(std::span<const std::string> cells, std::span<const std::string> columns,
                        Task task, const std::filesystem::path& path, Parsed& parsed);

// Labels and indices in files of their own. Of a .csv with a column node, name or id, lines are
// matched by that to the names of the nodes (their numbers, where they have none), and nodes
// without a line are unlabeled; otherwise lines are in the order of the samples.
void load_label_file(const std::filesystem::path& path, Task task, const Dataset& dataset,
                     Parsed& parsed);
std::vector<Index> load_index_file(const std::filesystem::path& path, std::optional<Index> row);

// Joins the parts: labels from elsewhere, counts, -1, the index. `shown` starts the messages.
Dataset assemble(Parsed parsed, const LoadOptions& options, std::string name, std::string source);

}  // namespace stkr::detail
