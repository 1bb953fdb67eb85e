#include "solver/component_eigenpairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "linop/components.hpp"
#include "runtime/parallel.hpp"
#include "solver/symmetric_eigen.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// Components up to this size are solved by LAPACK, in about a millisecond.
constexpr Index kSmall = 200;

struct Part {
  std::vector<Index> rows;  // rows of the whole matrix, ascending
  Vector values;            // decreasing
  Matrix vectors;
};

Matrix dense_block(const CsrMatrix& matrix, const std::vector<Index>& rows, double diagonal) {
  const auto n = static_cast<Index>(rows.size());
  Matrix block = Matrix::Zero(n, n);
  for (Index k = 0; k < n; ++k) {
    for (std::int64_t p = matrix.row_start[rows[k]]; p < matrix.row_start[rows[k] + 1]; ++p) {
      const auto found = std::lower_bound(rows.begin(), rows.end(), Index{matrix.column[p]});
      block(k, found - rows.begin()) = matrix.value[p];
    }
    block(k, k) += diagonal;
  }
  return block;
}

// The union of the large components first, then each small one.
std::vector<Part> split_rows(const CsrMatrix& matrix) {
  const Components components = connected_components(matrix);
  std::vector<Index> size(components.count, 0);
  for (const std::int32_t c : components.of) {
    if (c >= 0) ++size[c];
  }
  std::vector<Part> parts(1);
  std::vector<std::size_t> part_of(components.count, 0);
  for (std::int32_t c = 0; c < components.count; ++c) {
    if (size[c] > kSmall) continue;
    part_of[c] = parts.size();
    parts.emplace_back();
  }
  for (Index i = 0; i < matrix.rows; ++i) {
    if (components.of[i] >= 0) {
      parts[part_of[components.of[i]]].rows.push_back(i);
    } else {
      parts.emplace_back().rows.push_back(i);
    }
  }
  return parts;
}

}  // namespace

Eigenpairs component_eigenpairs(const CsrOperator& op, Index count, const EigenpairOptions& options,
                                const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Part> parts = split_rows(op.matrix());
  if (parts.size() == 1 || count < 1 || count > op.size()) {
    return top_eigenpairs(op, count, options, context);
  }
  parallel_tasks(static_cast<Index>(parts.size()) - 1, context.threads, [&](Index k) {
    Part& part = parts[k + 1];
    SymmetricEigen eigen = symmetric_eigen(dense_block(op.matrix(), part.rows, op.diagonal()));
    part.values = std::move(eigen.values);
    part.vectors = std::move(eigen.vectors);
  });
  Eigenpairs result;
  Part& large = parts.front();
  const auto large_size = static_cast<Index>(large.rows.size());
  Vector large_residuals(0);
  if (large_size > 0) {
    const CsrOperator block(principal_submatrix(op.matrix(), large.rows, 1.0), op.diagonal(),
                            op.threads(), op.device());
    Eigenpairs pairs = top_eigenpairs(block, std::min(count, large_size), options, context);
    large.values = std::move(pairs.values);
    large.vectors = std::move(pairs.vectors);
    large_residuals = std::move(pairs.residuals);
    result.summary = std::move(pairs.summary);
  } else {
    result.summary.solver = "dense eigenpairs";
  }

  struct Place {
    double value;
    std::size_t part;
    Index column;
  };
  std::vector<Place> places;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (Index c = 0; c < parts[p].values.size(); ++c) places.push_back({parts[p].values[c], p, c});
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.value > b.value; });
  places.resize(count);
  result.values.resize(count);
  result.residuals = Vector::Zero(count);
  result.vectors = Matrix::Zero(op.size(), count);
  for (Index k = 0; k < count; ++k) {
    const Part& part = parts[places[k].part];
    result.values[k] = places[k].value;
    if (places[k].part == 0) result.residuals[k] = large_residuals[places[k].column];
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
      result.vectors(part.rows[i], k) = part.vectors(i, places[k].column);
    }
  }
  result.summary.residuals.assign(result.residuals.begin(), result.residuals.end());
  result.summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace stkr
