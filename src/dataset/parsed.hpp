#pragma once

#include <string>
#include <variant>
#include <vector>

#include "format/file_format.hpp"
#include "format/npz.hpp"
#include "stkr/dataset/load_dataset.hpp"

namespace stkr::detail {

// The result of reading one format, before labels from other files are added and consistency is
// checked.
struct Parsed {
  std::variant<Points, Graph, PrecomputedKernel> samples;
  std::optional<Points> features;
  bool has_features = false;  // `features` are those that LoadOptions::features_file names
  Labels labels;
  bool has_labels = false;              // `labels` are those requested by the options
  std::string label_type;               // "float64", say, for an array; empty for text
  std::vector<std::string> candidates;  // possible values of LoadOptions::labels, for messages
  std::optional<std::vector<Index>> labeled;
  std::vector<std::string> notes;
  std::vector<std::string> ids{};  // as in Dataset
  std::string id_column{};
  std::string label_source{};
  std::optional<TableEncoding> encoding{};
};

Parsed parse_npz(const NpzReader& reader, const LoadOptions& options);
// A graph in a folder of parts (graph_parts.hpp).
Parsed parse_graph_parts(const std::filesystem::path& path, const LoadOptions& options);
// What an archive holds besides the matrix of a graph; the graph has nodes, but no arrays.
Parsed parse_npz_nodes(const NpzReader& reader, Index nodes, const LoadOptions& options);
// What an archive holds besides the samples.
Parsed parse_npz_labels(const NpzReader& reader, const LoadOptions& options);
// Location of the samples in an archive: an array, or the prefix of the parts of a sparse matrix.
struct NpzLayout {
  DatasetKind kind = DatasetKind::points;
  std::string array{};
  std::string parts{};
};
NpzLayout npz_layout(const NpzReader& reader, const LoadOptions& options);
Parsed parse_npy_file(const std::filesystem::path& path, const LoadOptions& options);
Parsed parse_matrix_market(const std::filesystem::path& path, const LoadOptions& options);
Parsed parse_petsc_binary(const std::filesystem::path& path, const LoadOptions& options);
Parsed parse_edge_list(const std::filesystem::path& path, const LoadOptions& options);
Parsed parse_anndata(const std::filesystem::path& path, const LoadOptions& options);
Parsed parse_graphml(const std::filesystem::path& path, const LoadOptions& options);
Parsed parse_csv(const std::filesystem::path& path, const LoadOptions& options);
Parsed parse_svmlight(const std::filesystem::path& path, const LoadOptions& options);

// Whether an archive has points; besides a graph, these are the features of its nodes.
bool has_points(const NpzReader& reader);
// Location of the points in an archive: the array of dense points, or the prefix of the CSR parts
// of sparse points.
std::string dense_points(const NpzReader& reader);  // empty for none
std::optional<std::string> sparse_points(const NpzReader& reader);

// Names of features or targets; empty unless the archive has `count` names.
std::vector<std::string> optional_names(const NpzReader& reader, std::string_view name,
                                        Index count);
// Names of `count` nodes; empty if the archive has none. Throws DataError unless there is one
// unique name per node, because new edges refer to them.
std::vector<std::string> read_node_names(const NpzReader& reader, Index count);

// Node features: sparse if the file has them in sparse parts.
Points read_node_features(const NpzReader& reader);
Points load_node_features(const std::filesystem::path& path, const LoadOptions& options);

CsrMatrix read_csr(const NpzReader& reader, const std::string& prefix);

// "name[3]" is row 3 of the array `name`.
struct RowReference {
  std::string name;
  std::optional<Index> row;
};
RowReference parse_row_reference(const std::string& text);

// Indices of labeled samples: a vector of integers, one row of an integer matrix, or a boolean
// mask.
std::vector<Index> index_from_array(NpyArray array, std::optional<Index> row);

// Stores the labels of an array, or of text cells, in `parsed`, with a note on how they were read.
void take_labels(NpyArray array, Task task, Parsed& parsed);
void take_labels(std::span<const std::string> cells, std::span<const std::string> columns,
                 const LoadOptions& options, const std::string& where, Parsed& parsed);
// Stores the labels of table columns, if there are any.
void take_label_columns(std::span<const std::string> cells, std::span<const std::string> columns,
                        const LoadOptions& options, const std::filesystem::path& path,
                        Parsed& parsed);

// Reads labels and indices from separate files. If a .csv has a column node, name or id, or one
// that is named like the ids of the data, its lines are matched to the samples by name (by number
// if samples have no names), and samples without a line are unlabeled; otherwise lines are in the
// order of the samples.
void load_label_file(const std::filesystem::path& path, const LoadOptions& options,
                     const Dataset& dataset, Parsed& parsed);
std::vector<Index> load_index_file(const std::filesystem::path& path, std::optional<Index> row);

// The format of the samples: the one in the options, or that of the file.
FileFormat sample_format(const std::filesystem::path& path, const LoadOptions& options);

// Throws DataError, with the names of the shipped data sets.
[[noreturn]] void no_such_file(const std::filesystem::path& path);

// Builds the data set: reads labels from other files, checks counts, applies the -1 convention and
// the index of labeled samples. Messages start with `source`.
Dataset assemble(Parsed parsed, const LoadOptions& options, std::string name,
                 const std::string& source);

}  // namespace stkr::detail
