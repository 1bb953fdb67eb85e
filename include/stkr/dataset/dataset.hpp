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
#include "stkr/linop/csr_matrix.hpp"
#include "stkr/linop/shared_matrix.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

struct Points {
  SharedMatrix values;                     // N × features
  std::vector<std::string> feature_names;  // empty, or one per feature
};

// Features of a graph's nodes, dense or sparse: words of texts are thousands of features, nearly
// all of them 0.
struct NodeFeatures {
  SharedMatrix values{};                      // N × features; empty if they are sparse
  std::vector<std::string> feature_names{};   // empty, or one per feature
  std::shared_ptr<const CsrMatrix> sparse{};  // instead of `values`; columns ascend in each row

  NodeFeatures() = default;
  NodeFeatures(Points points)
      : values(std::move(points.values)), feature_names(std::move(points.feature_names)) {}
  NodeFeatures(CsrMatrix matrix, std::vector<std::string> names)
      : feature_names(std::move(names)),
        sparse(std::make_shared<const CsrMatrix>(std::move(matrix))) {}

  Index rows() const { return sparse ? sparse->rows : values.rows(); }
  Index cols() const { return sparse ? sparse->cols : values.cols(); }
  NodeFeatures chosen_rows(std::span<const Index> nodes) const;
  // As points, for kernels that need all values. Throws DataError if that takes more than
  // `most_bytes`, or far more than the sparse values.
  Points dense(std::uint64_t most_bytes) const;
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
  std::optional<NodeFeatures> features;
  Labels labels;                   // visible to a learner
  Labels truth;                    // all labels, before an index of labeled samples hid some
  std::vector<std::string> notes;  // decisions of the reader that a user may want to know

  DatasetKind kind() const { return static_cast<DatasetKind>(samples.index()); }
  Index size() const;
  const Points& points() const;  // throws ValueError for another kind; likewise below
  const Graph& graph() const;
  const PrecomputedKernel& kernel() const;
};

// Throws DataError, with the row and column, if a value is not finite or if there are no values.
void check_points(ConstMatrixRef values, const std::string& where);

// Returns sparse features in canonical form: columns sorted, duplicates added up, zeros dropped.
// Throws DataError unless the arrays describe a matrix of finite values with a row and a column.
CsrMatrix checked_sparse_features(CsrMatrix matrix, const std::string& where);

// Throws DataError unless `dataset` is a graph and `features` has one row per node.
void check_features(const NodeFeatures& features, const Dataset& dataset, const std::string& where);
// Throws DataError, with the row and column, unless every value is finite. `first_row` is the row
// number of the first row in the file.
void check_finite(ConstMatrixRef values, const std::string& where, Index first_row = 0);

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

}  // namespace stkr
