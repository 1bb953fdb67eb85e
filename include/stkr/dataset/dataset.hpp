#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
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

// Samples, labeled and unlabeled, and where they come from.
struct Dataset {
  std::string name;    // short: "cora"
  std::string source;  // a path, a citation, or how it was generated
  std::variant<Points, Graph, PrecomputedKernel> samples;
  std::optional<Points> features;  // of the nodes, beside a graph
  Labels labels;                   // what a learner may see
  Labels truth;                    // the same, before an index of labeled samples hid the others
  std::vector<std::string> notes;  // what a reader decided and a user may want to know

  DatasetKind kind() const { return static_cast<DatasetKind>(samples.index()); }
  Index size() const;
  const Points& points() const;  // ValueError when it is another kind; likewise below
  const Graph& graph() const;
  const PrecomputedKernel& kernel() const;
};

// Throws DataError, with the row and column, unless every value is finite and there is a value.
void check_points(ConstMatrixRef values, const std::string& where);

// Throws DataError unless `features` stand beside a graph, a row for each of its nodes.
void check_features(const Points& features, const Dataset& dataset, const std::string& where);
// Throws DataError, with the row and column, unless every value is finite. `first_row` is the
// number of the first one in the file.
void check_finite(ConstMatrixRef values, const std::string& where, Index first_row = 0);

// Throws DataError unless square, finite, and symmetric up to rounding.
void check_kernel(ConstMatrixRef values, const std::string& where);

// An adjacency matrix made fit for use: columns sorted, duplicates added up, zeros dropped. Throws
// DataError for arrays that describe no square matrix, for NaN and negative weights, and for an
// asymmetric matrix unless `symmetrize`: then, and where the asymmetry is within rounding, the
// larger of both directions counts.
CsrMatrix checked_adjacency(CsrMatrix matrix, bool symmetrize, const std::string& where);

// Throws DataError, with the edge, unless all weights are finite and ≥ 0. `first_row` as above.
void check_weights(const CsrMatrix& matrix, const std::string& where, Index first_row = 0);

// Throws DataError unless there is a label, or a mark of its absence, for each of `size` samples.
void check_label_count(const Labels& labels, Index size, const std::string& where);

}  // namespace stkr
