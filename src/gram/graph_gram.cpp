#include "stkr/gram/graph_gram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "gram/gram_cost.hpp"
#include "graph_scaling.hpp"
#include "linop/components.hpp"
#include "linop/csr_operator.hpp"
#include "linop/csr_product.hpp"
#include "linop/device_backend.hpp"
#include "runtime/byte_count.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// Tolerates rounding in weights that were computed separately per direction.
constexpr double symmetry_tolerance = 1e-12;

CsrMatrix checked_weights(CsrMatrix weights, bool symmetrize) {
  const char* who = "graph";
  if (weights.rows != weights.cols) {
    throw ShapeError(fmt::format("{}: the weights are {} x {}; expected a square matrix", who,
                                 weights.rows, weights.cols));
  }
  if (weights.rows == 0) throw ShapeError("the graph has no nodes");
  check_csr(weights, who);
  check_weights(weights, who);
  if (symmetrize) return symmetrized(weights);
  const double largest =
      weights.value.empty() ? 0.0 : *std::max_element(weights.value.begin(), weights.value.end());
  const Asymmetry found = asymmetry(weights);
  if (found.largest > symmetry_tolerance * largest) {
    throw ValueError(
        fmt::format("{}: the weights of edges ({}, {}) and ({}, {}) differ by {}; expected an "
                    "undirected graph, so list both directions or set symmetrize",
                    who, found.row, found.column, found.column, found.row, found.largest));
  }
  return weights;
}

// √D on each connected component; nodes without edges belong to none.
KnownEigenspace root_degrees(const CsrMatrix& weights, const Vector& degree) {
  Components components = connected_components(weights);
  return KnownEigenspace(1.0, components.count, std::move(components.of), degree.cwiseSqrt());
}

// Gershgorin discs of a symmetric matrix with non-negative entries.
SpectrumBounds gershgorin(const CsrMatrix& matrix) {
  SpectrumBounds bounds{std::numeric_limits<double>::infinity(), 0.0};
  for (Index i = 0; i < matrix.rows; ++i) {
    double sum = 0.0;
    double own = 0.0;
    for (std::int64_t p = matrix.row_start[i]; p < matrix.row_start[i + 1]; ++p) {
      sum += matrix.value[p];
      if (matrix.column[p] == i) own = matrix.value[p];
    }
    bounds.lower = std::min(bounds.lower, 2.0 * own - sum);
    bounds.upper = std::max(bounds.upper, sum);
  }
  return bounds;
}

}  // namespace

CsrMatrix with_self_loops(const CsrMatrix& weights) {
  CsrMatrix result;
  result.rows = weights.rows;
  result.cols = weights.cols;
  result.row_start.reserve(weights.row_start.size());
  result.row_start.push_back(0);
  result.column.reserve(weights.column.size() + weights.rows);
  result.value.reserve(weights.value.size() + weights.rows);
  for (Index i = 0; i < weights.rows; ++i) {
    bool added = false;
    const auto add = [&](std::int32_t column, double value) {
      result.column.push_back(column);
      result.value.push_back(value);
    };
    for (std::int64_t p = weights.row_start[i]; p < weights.row_start[i + 1]; ++p) {
      const std::int32_t j = weights.column[p];
      if (!added && j >= i) {
        if (j > i) add(static_cast<std::int32_t>(i), 1.0);
        added = true;
      }
      add(j, weights.value[p] + (j == i ? 1.0 : 0.0));
    }
    if (!added) add(static_cast<std::int32_t>(i), 1.0);
    result.row_start.push_back(static_cast<std::int64_t>(result.column.size()));
  }
  return result;
}

GraphGram::GraphGram(CsrMatrix weights, const GraphGramOptions& options)
    : s_(checked_weights(std::move(weights), options.symmetrize)),
      threads_(options.threads),
      device_(options.device) {
  if (options.add_self_loops) s_ = with_self_loops(s_);
  degrees_ = {options.normalization, options.add_self_loops, row_sums(s_)};
  check_degrees(degrees(), "graph: node");
  const bool walk = options.normalization == GraphNormalization::symmetric ||
                    options.normalization == GraphNormalization::lazy_walk;
  if (walk) eigenspace_.emplace(root_degrees(s_, degrees()));

  // S_ij = K_ij/N = w_ij·row_i·column_j/N, with the same factors as for new nodes.
  const Vector row = row_factors(degrees_.normalization, degrees());
  const Vector column = column_factors(degrees_);
  const auto n = static_cast<double>(size());
  for (Index i = 0; i < size(); ++i) {
    for (std::int64_t p = s_.row_start[i]; p < s_.row_start[i + 1]; ++p) {
      const Index j = s_.column[p];
      // The smaller index comes first so that S_ij and S_ji round the same way.
      s_.value[p] *= row[std::min(i, j)] * (column[std::max(i, j)] / n);
      check_kernel_value(s_.value[p], i, j, "graph");
    }
  }
  switch (options.normalization) {
    case GraphNormalization::symmetric:
      bounds_ = {-1.0, 1.0};
      break;
    case GraphNormalization::lazy_walk:
      bounds_ = {0.0, 1.0};
      break;
    default:
      bounds_ = gershgorin(s_);
      break;
  }
  if (const DeviceBackend* backend = device_.backend())
    on_device_ = backend->sparse(s_, diagonal());
}

void GraphGram::apply(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "GraphGram::apply");
  if (on_device_) return on_device_->apply(x, y);
  multiply_step(s_, 1.0, x, diagonal(), 0.0, y, threads_);
}

void GraphGram::apply_step(double a, ConstMatrixRef x, double b, double c, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "GraphGram::apply_step");
  if (on_device_) return LinearOperator::apply_step(a, x, b, c, y);
  multiply_step(s_, a, x, b + a * diagonal(), c, y, threads_);
}

std::optional<Vector> GraphGram::squared_row_norms(std::span<const Index> samples) const {
  Vector result(static_cast<Index>(samples.size()));
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Index i = samples[k];
    double own = diagonal(), others = 0.0;
    for (std::int64_t p = s_.row_start[i]; p < s_.row_start[i + 1]; ++p) {
      if (s_.column[p] == i) {
        own += s_.value[p];
      } else {
        others += s_.value[p] * s_.value[p];
      }
    }
    result[static_cast<Index>(k)] = others + own * own;
  }
  return result;
}

std::vector<char> GraphGram::reached(const std::vector<char>& from, int steps) const {
  // A walk of any length follows each edge once, from each node when it is first reached.
  if (steps != 0) return GramOperator::reached(from, steps);
  std::vector<char> result(size(), 0);
  if (eigenspace_) {  // its groups are the components, each with at least one edge
    std::vector<char> groups(eigenspace_->dimension(), 0);
    for (Index i = 0; i < size(); ++i) {
      if (from[i] && eigenspace_->group(i) >= 0) groups[eigenspace_->group(i)] = 1;
    }
    for (Index i = 0; i < size(); ++i) {
      const std::int32_t group = eigenspace_->group(i);
      result[i] = group >= 0 ? groups[group] : from[i] && diagonal() > 0.0;
    }
    return result;
  }
  std::vector<Index> open;
  for (Index i = 0; i < size(); ++i) {
    if (!from[i]) continue;
    open.push_back(i);
    if (diagonal() > 0.0) result[i] = 1;
  }
  while (!open.empty()) {
    const Index i = open.back();
    open.pop_back();
    for (std::int64_t p = s_.row_start[i]; p < s_.row_start[i + 1]; ++p) {
      const Index j = s_.column[p];
      if (s_.value[p] == 0.0 || result[j]) continue;
      result[j] = 1;
      if (!from[j]) open.push_back(j);
    }
  }
  return result;
}

Index GraphGram::panel_columns() const { return cached_columns(size()); }

std::unique_ptr<LinearOperator> GraphGram::restricted(std::vector<Index> samples,
                                                      double scale) const {
  check_block_indices(*this, samples, {}, "GraphGram::restricted");
  if (std::adjacent_find(samples.begin(), samples.end(), std::greater_equal<>()) != samples.end()) {
    throw ValueError("GraphGram::restricted: the samples must be strictly ascending");
  }
  return std::make_unique<CsrOperator>(principal_submatrix(s_, samples, scale), scale * diagonal(),
                                       threads_, device_);
}

Matrix GraphGram::block(std::span<const Index> rows, std::span<const Index> columns) const {
  check_block_indices(*this, rows, columns, "GraphGram::block");
  // Sample j occupies columns first[j], next[first[j]], ...: a column may be requested twice.
  const auto count = static_cast<Index>(columns.size());
  std::vector<Index> first(size(), -1);
  std::vector<Index> next(count, -1);
  for (Index q = count - 1; q >= 0; --q) next[q] = std::exchange(first[columns[q]], q);

  const auto n = static_cast<double>(size());
  Matrix result = Matrix::Zero(static_cast<Index>(rows.size()), count);
  for (Index r = 0; r < result.rows(); ++r) {
    const Index i = rows[r];
    for (std::int64_t p = s_.row_start[i]; p < s_.row_start[i + 1]; ++p) {
      for (Index q = first[s_.column[p]]; q >= 0; q = next[q]) result(r, q) += n * s_.value[p];
    }
    for (Index q = first[i]; q >= 0; q = next[q]) result(r, q) += n * diagonal();
  }
  return result;
}

std::unique_ptr<CrossKernel> GraphGram::cross_kernel() const {
  return std::make_unique<GraphCrossKernel>(degrees_, threads_);
}

GramCost graph_gram_cost(Index samples, Index entries, bool self_loops) {
  GramCost cost{.entries = entries};
  cost.samples = byte_count(entries, 12.0) + byte_count(samples, 8.0);
  cost.gram = byte_count(samples, 40.0);  // degrees, factors, components
  // The transpose for the symmetry check; a copy with self-loops.
  cost.preparing = byte_count(entries, 12.0) + byte_count(samples, 16.0);
  if (self_loops) {
    cost.samples += byte_count(samples, 12.0);
    cost.preparing += byte_count(samples, 12.0);
  }
  return cost;
}

}  // namespace stkr
