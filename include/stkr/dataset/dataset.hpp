#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "stkr/dataset/labels.hpp"
#include "stkr/dataset/table_encoding.hpp"
#include "stkr/linop/csr_matrix.hpp"
#include "stkr/linop/feature_matrix.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// Points, or the features of a graph's nodes.
struct Points {
  FeatureMatrix values;                    // N × features, dense or sparse
  std::vector<std::string> feature_names;  // empty, or one per feature
};

struct Graph {
  CsrMatrix adjacency;                  // symmetric, weights ≥ 0
  std::vector<std::string> node_names;  // empty, or one per node
};

struct PrecomputedKernel {
  SharedMatrix values;  // N × N, symmetric
};

// In the order of the alternatives of Dataset::samples.
enum class DatasetKind { points, graph, kernel };
std::string_view kind_name(DatasetKind kind);

// Labeled and unlabeled samples, with their origin.
struct Dataset {
  std::string name;    // short: "cora"
  std::string source;  // a path, a citation, or how it was generated
  std::variant<Points, Graph, PrecomputedKernel> samples;
  std::optional<Points> features;  // of the nodes of a graph
  Labels labels;                   // visible to a learner
  Labels truth;                    // all labels, before an index of labeled samples hid some
  std::vector<std::string> notes;  // decisions of the reader that a user may want to know
  // Names of samples that are not nodes, by which predictions refer to them: empty, or one per
  // sample. They come from the column `id_column` of a table.
  std::vector<std::string> ids{};
  std::string id_column{};
  std::string label_source{};  // "column y" of a table, "array y", or a file; may be empty
  std::vector<std::string> label_candidates{};  // columns, arrays or attributes to name as labels
  // How a table became points, and how points were standardized; for new samples.
  std::optional<TableEncoding> encoding{};

  DatasetKind kind() const { return static_cast<DatasetKind>(samples.index()); }
  Index size() const;
  const Points& points() const;  // throws ValueError for another kind; likewise below
  const Graph& graph() const;
  const PrecomputedKernel& kernel() const;
  // Names of the samples of any kind: a graph's node names, or `ids`; and what they are called,
  // "node" or `id_column`. Empty if the samples have no names.
  const std::vector<std::string>& sample_names() const;
  std::string sample_name_column() const;
};

// Throws DataError, with the row and column, if a value is not finite or if there are no values.
void check_points(ConstMatrixRef values, const std::string& where);

// Returns sparse features in canonical form: columns sorted, duplicates added up, zeros dropped.
// Throws DataError unless the arrays describe a matrix of finite values with a row and a column.
CsrMatrix checked_sparse_features(CsrMatrix matrix, const std::string& where);

// Points from sparse features in canonical form. They stay sparse, unless more than a quarter of
// the values are not 0: dense points are then faster.
Points points_from_sparse(CsrMatrix matrix, std::vector<std::string> feature_names = {});
bool stays_sparse(Index samples, Index features, Index entries);

// Throws DataError unless `dataset` is a graph and `features` has one row per node.
void check_features(const Points& features, const Dataset& dataset, const std::string& where);
// Throws DataError, with the row and column, unless every value is finite. `first_row` is the row
// number of the first row in the file.
void check_finite(ConstMatrixRef values, const std::string& where, Index first_row = 0);
void check_finite(const CsrMatrix& values, const std::string& where, Index first_row = 0);

// Throws DataError unless square, finite, and symmetric up to rounding.
void check_kernel(ConstMatrixRef values, const std::string& where);

// Returns the adjacency matrix in canonical form: columns sorted, duplicates added up, zeros
// dropped. Throws DataError if the arrays do not describe a square matrix, for NaN and negative
// weights, and for an asymmetric matrix unless `symmetrize` is set. With `symmetrize`, or if the
// asymmetry is within rounding, the larger weight of the two directions is used.
CsrMatrix checked_adjacency(CsrMatrix matrix, bool symmetrize, const std::string& where);

// Throws DataError, with the edge, unless all weights are finite and ≥ 0. `first_row` as above.
void check_weights(const CsrMatrix& matrix, const std::string& where, Index first_row = 0);

// Throws DataError unless `labels` has an entry (a label or unlabeled) for each of `size` samples.
void check_label_count(const Labels& labels, Index size, const std::string& where);

// The problem size, as far as memory and work depend on it.
struct ProblemShape {
  DatasetKind kind = DatasetKind::points;
  Index samples = 0;          // N
  Index features = 0;         // of points or of graph nodes
  Index entries = 0;          // of a graph's matrix: every edge counts twice
  Index feature_entries = 0;  // of sparse points or node features; 0: they are dense
  Index labeled = 0;          // n
  Index outputs = 1;          // C
  std::uint64_t names = 0;    // bytes of feature and node names, including copies
  std::uint64_t reading = 0;  // peak bytes while reading the data; 0 if it is already loaded
};
ProblemShape shape_of(const Dataset& dataset);
// Sets n and C as encode_targets does.
void count_labels(const Labels& labels, ProblemShape& shape);

}  // namespace stkr
