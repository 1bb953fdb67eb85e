#include "stkr/dataset/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "format/csr_parts.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// Relative asymmetry of similarities computed in single precision.
constexpr double kRounding = 1e-6;

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw DataError(fmt::format("{}: {}", where, what));
}

template <class T>
const T& get_kind(const Dataset& dataset, DatasetKind wanted) {
  if (const T* samples = std::get_if<T>(&dataset.samples)) return *samples;
  throw ValueError(fmt::format("data set {} is of kind {}, expected {}", dataset.name,
                               kind_name(dataset.kind()), kind_name(wanted)));
}

}  // namespace

std::string_view kind_name(DatasetKind kind) {
  switch (kind) {
    case DatasetKind::points:
      return "points";
    case DatasetKind::graph:
      return "graph";
    case DatasetKind::kernel:
      return "kernel";
  }
  return "unknown";
}

Index Dataset::size() const {
  if (const auto* found = std::get_if<Points>(&samples)) return found->values.rows();
  if (const auto* found = std::get_if<Graph>(&samples)) return found->adjacency.rows;
  return std::get<PrecomputedKernel>(samples).values.rows();
}

const Points& Dataset::points() const { return get_kind<Points>(*this, DatasetKind::points); }

const Graph& Dataset::graph() const { return get_kind<Graph>(*this, DatasetKind::graph); }

const PrecomputedKernel& Dataset::kernel() const {
  return get_kind<PrecomputedKernel>(*this, DatasetKind::kernel);
}

const std::vector<std::string>& Dataset::sample_names() const {
  const auto* found = std::get_if<Graph>(&samples);
  return found != nullptr ? found->node_names : ids;
}

std::string Dataset::sample_name_column() const {
  if (sample_names().empty()) return {};
  return kind() == DatasetKind::graph ? "node" : id_column;
}

void check_finite(ConstMatrixRef values, const std::string& where, Index first_row) {
  for (Index i = 0; i < values.rows(); ++i) {
    if (values.row(i).allFinite()) continue;
    Index j = 0;
    while (std::isfinite(values(i, j))) ++j;
    fail(where, fmt::format("row {}, column {} (counted from 0) is {}, expected a finite number; "
                            "remove or impute it",
                            first_row + i, j, values(i, j)));
  }
}

void check_finite(const CsrMatrix& values, const std::string& where, Index first_row) {
  for (Index row = 0; row < values.rows; ++row) {
    for (auto p = values.row_start[row]; p < values.row_start[row + 1]; ++p) {
      if (std::isfinite(values.value[p])) continue;
      fail(where, fmt::format("row {}, column {} (counted from 0) is {}, expected a finite number; "
                              "remove or impute it",
                              first_row + row, values.column[p], values.value[p]));
    }
  }
}

void check_points(ConstMatrixRef values, const std::string& where) {
  if (values.rows() == 0 || values.cols() == 0) {
    fail(where, fmt::format("has {} samples and {} features, expected at least one of each",
                            values.rows(), values.cols()));
  }
  check_finite(values, where);
}

CsrMatrix checked_sparse_features(CsrMatrix matrix, const std::string& where) {
  detail::check_csr_structure(matrix, where);
  if (matrix.rows == 0 || matrix.cols == 0) {
    fail(where, fmt::format("has {} samples and {} features, expected at least one of each",
                            matrix.rows, matrix.cols));
  }
  check_finite(matrix, where);
  return detail::canonical(std::move(matrix));
}

bool stays_sparse(Index samples, Index features, Index entries) {
  return 4.0 * static_cast<double>(entries) <=
         static_cast<double>(samples) * static_cast<double>(features);
}

Points points_from_sparse(CsrMatrix matrix, std::vector<std::string> feature_names) {
  Points points{.values = {}, .feature_names = std::move(feature_names)};
  if (stays_sparse(matrix.rows, matrix.cols, matrix.entries())) {
    points.values = std::move(matrix);
  } else {
    points.values = dense_of(matrix);
  }
  return points;
}

void check_features(const Points& features, const Dataset& dataset, const std::string& where) {
  if (dataset.kind() != DatasetKind::graph) {
    fail(where, fmt::format("node features require a graph, but the data is of kind {}{}",
                            kind_name(dataset.kind()),
                            dataset.kind() == DatasetKind::points
                                ? "; add the columns to the points instead"
                                : ""));
  }
  if (features.values.rows() != dataset.size()) {
    fail(where, fmt::format("has features for {} samples, but the graph has {} nodes; give one row "
                            "per node, in the same order",
                            features.values.rows(), dataset.size()));
  }
}

void check_kernel(ConstMatrixRef values, const std::string& where) {
  if (values.rows() != values.cols() || values.rows() == 0) {
    fail(where,
         fmt::format("is {} × {}, expected a square kernel matrix", values.rows(), values.cols()));
  }
  check_finite(values, where);
  double scale = 0.0;
  for (Index i = 0; i < values.rows(); ++i) {
    for (const double value : values.row(i)) scale = std::max(scale, std::abs(value));
  }
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      if (std::abs(values(i, j) - values(j, i)) > kRounding * scale) {
        fail(where, fmt::format("is not symmetric: entry ({}, {}) is {} but ({}, {}) is {}", i, j,
                                values(i, j), j, i, values(j, i)));
      }
    }
  }
}

void check_weights(const CsrMatrix& matrix, const std::string& where, Index first_row) {
  for (Index row = 0; row < matrix.rows; ++row) {
    for (auto i = matrix.row_start[static_cast<std::size_t>(row)];
         i < matrix.row_start[static_cast<std::size_t>(row) + 1]; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (!(matrix.value[at] >= 0.0) || std::isinf(matrix.value[at])) {
        fail(where, fmt::format("the edge ({}, {}) has weight {}, expected a finite number ≥ 0",
                                first_row + row, matrix.column[at], matrix.value[at]));
      }
    }
  }
}

CsrMatrix checked_adjacency(CsrMatrix matrix, bool symmetrize, const std::string& where) {
  detail::check_csr_structure(matrix, where);
  if (matrix.rows != matrix.cols || matrix.rows == 0) {
    fail(where,
         fmt::format("is {} × {}, expected a square adjacency matrix", matrix.rows, matrix.cols));
  }
  check_weights(matrix, where);
  matrix = detail::canonical(std::move(matrix));
  if (symmetrize) return symmetrized(matrix);
  const Asymmetry worst = asymmetry(matrix);
  if (worst.largest == 0.0) return matrix;
  const double largest = *std::max_element(matrix.value.begin(), matrix.value.end());
  if (worst.largest > kRounding * largest) {
    fail(where,
         fmt::format("is not symmetric: the edge ({0}, {1}) has weight {2} but ({1}, {0}) "
                     "has {3}; list both directions, or make a directed graph symmetric with "
                     "symmetrize (--symmetrize), which uses the larger of the two weights",
                     worst.row, worst.column, detail::value_at(matrix, worst.row, worst.column),
                     detail::value_at(matrix, worst.column, worst.row)));
  }
  return symmetrized(matrix);
}

void check_label_count(const Labels& labels, Index size, const std::string& where) {
  if (std::holds_alternative<std::monostate>(labels) || sample_count(labels) == size) return;
  fail(where, fmt::format("has {} labels for {} samples; give one per sample, and mark unlabeled "
                          "samples by an empty label, -1 or NaN",
                          sample_count(labels), size));
}

}  // namespace stkr
