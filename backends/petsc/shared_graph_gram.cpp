#include "shared_graph_gram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "gram/graph_scaling.hpp"
#include "halo_operator.hpp"
#include "session.hpp"
#include "shared_components.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

// W + I for some rows of W: the diagonal is at column first + i.
CsrMatrix with_loops(const CsrMatrix& weights, Index first) {
  CsrMatrix result;
  result.rows = weights.rows;
  result.cols = weights.cols;
  result.row_start.assign(1, 0);
  for (Index i = 0; i < weights.rows; ++i) {
    const auto diagonal = static_cast<std::int32_t>(first + i);
    bool added = false;
    for (auto p = weights.row_start[i]; p < weights.row_start[i + 1]; ++p) {
      const std::int32_t j = weights.column[p];
      if (!added && j > diagonal) {
        result.column.push_back(diagonal);
        result.value.push_back(1.0);
      }
      added = added || j >= diagonal;
      result.column.push_back(j);
      result.value.push_back(weights.value[p] + (j == diagonal ? 1.0 : 0.0));
    }
    if (!added) {
      result.column.push_back(diagonal);
      result.value.push_back(1.0);
    }
    result.row_start.push_back(static_cast<std::int64_t>(result.column.size()));
  }
  return result;
}

// Gershgorin discs, as in GraphGram.
SpectrumBounds gershgorin(const HaloMatrix& s) {
  const RowLayout& layout = *s.layout();
  Matrix ends = Matrix::Constant(1, 2, -std::numeric_limits<double>::infinity());
  ends(0, 1) = 0.0;  // -lower, upper
  for (Index i = 0; i < layout.count(); ++i) {
    double sum = 0.0, own = 0.0;
    s.visit_row(i, [&](Index j, double v) {
      sum += v;
      if (j == layout.first() + i) own = v;
    });
    ends(0, 0) = std::max(ends(0, 0), sum - 2.0 * own);
    ends(0, 1) = std::max(ends(0, 1), sum);
  }
  layout.largest(ends);
  return {-ends(0, 0), ends(0, 1)};
}

}  // namespace

SharedGraphGram::SharedGraphGram(Layout layout, CsrMatrix weights,
                                 const SharedGraphOptions& options)
    : layout_(std::move(layout)), options_(options) {
  const Index first = layout_->first();
  agree(layout_->comm(), [&] {
    if (layout_->size() == 0) throw ShapeError("the graph has no nodes");
    if (options_.add_self_loops) weights = with_loops(weights, first);
    degrees_ = {options_.normalization, options_.add_self_loops, row_sums(weights)};
    check_degrees(degrees_.degree, "graph: node");
  });
  s_ = std::make_shared<HaloMatrix>(layout_, std::move(weights));
  const bool walk = options_.normalization == GraphNormalization::symmetric ||
                    options_.normalization == GraphNormalization::lazy_walk;
  if (walk) eigenspace_.emplace(root_degrees(*s_, degrees_.degree));
  if (options_.normalization == GraphNormalization::lazy_walk) diagonal_ = 0.5;

  // S_ij = w_ij·row_i·column_j/N: see GraphGram.
  Matrix degree = degrees_.degree;
  const Matrix beyond = s_->halo_of(degree);
  Matrix total = Matrix::Constant(1, 1, degrees_.degree.sum());
  layout_->sum(total);
  const auto n = static_cast<double>(size());
  const double scale = column_scale(options_.normalization, n, total(0, 0));
  const Vector own = row_factors(options_.normalization, degrees_.degree);
  const Vector other = row_factors(options_.normalization, beyond.col(0));
  agree(layout_->comm(), [&] {
    s_->map_values([&](Index i, Index j, double value) {
      const auto factor = [&](Index sample) {
        const Index row = layout_->local(sample);
        if (row >= 0) return own[row];
        const auto& halo = s_->halo();
        return other[std::lower_bound(halo.begin(), halo.end(), sample) - halo.begin()];
      };
      const double scaled = value * (factor(std::min(i, j)) * (scale * factor(std::max(i, j)) / n));
      check_kernel_value(scaled, i, j, "graph");
      return scaled;
    });
  });
  switch (options_.normalization) {
    case GraphNormalization::symmetric:
      bounds_ = {-1.0, 1.0};
      break;
    case GraphNormalization::lazy_walk:
      bounds_ = {0.0, 1.0};
      break;
    default:
      bounds_ = gershgorin(*s_);
      break;
  }
  on_device_ = device_operator(s_, diagonal_, options_.threads, options_.cancelled);
}

Matrix SharedGraphGram::columns(std::span<const Index> samples) const {
  // Several columns may be one sample's.
  std::unordered_multimap<Index, Index> wanted;
  for (std::size_t q = 0; q < samples.size(); ++q) {
    wanted.emplace(samples[q], static_cast<Index>(q));
  }
  const auto n = static_cast<double>(size());
  Matrix result = Matrix::Zero(layout_->count(), static_cast<Index>(samples.size()));
  // By the transpose for own columns would be faster; a pass over the entries is a product's work.
  for (Index i = 0; i < layout_->count(); ++i) {
    const auto add = [&](Index j, double v) {
      const auto [begin, end] = wanted.equal_range(j);
      for (auto at = begin; at != end; ++at) result(i, at->second) += n * v;
    };
    s_->visit_row(i, add);
    if (diagonal_ != 0.0) add(layout_->first() + i, diagonal_);
  }
  return result;
}

Matrix SharedGraphGram::block(std::span<const Index> rows, std::span<const Index> columns) const {
  std::unordered_multimap<Index, Index> wanted;
  for (std::size_t q = 0; q < columns.size(); ++q) {
    wanted.emplace(columns[q], static_cast<Index>(q));
  }
  const auto n = static_cast<double>(size());
  Matrix result = Matrix::Zero(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Index i = layout_->local(rows[r]);
    if (i < 0) continue;
    const auto add = [&](Index j, double v) {
      const auto [begin, end] = wanted.equal_range(j);
      for (auto at = begin; at != end; ++at) result(static_cast<Index>(r), at->second) += n * v;
    };
    s_->visit_row(i, add);
    if (diagonal_ != 0.0) add(rows[r], diagonal_);
  }
  layout_->sum(result);
  return result;
}

std::unique_ptr<LinearOperator> SharedGraphGram::restricted(std::vector<Index> samples,
                                                            double scale) const {
  const auto kept = static_cast<Index>(samples.size());
  const auto part = std::make_shared<const RowLayout>(layout_->comm(), kept);
  // The new number of each row, 1-based: 0 is left out.
  Matrix number = Matrix::Zero(layout_->count(), 1);
  for (Index k = 0; k < kept; ++k) {
    number(samples[k], 0) = static_cast<double>(part->first() + k + 1);
  }
  const Matrix beyond = s_->halo_of(number);
  const auto& halo = s_->halo();
  CsrMatrix rows;
  rows.rows = kept;
  rows.cols = part->size();
  rows.row_start.assign(1, 0);
  std::vector<std::pair<std::int32_t, double>> row;
  for (const Index i : samples) {
    row.clear();
    s_->visit_row(i, [&](Index j, double v) {
      const Index local = layout_->local(j);
      const double to =
          local >= 0 ? number(local, 0)
                     : beyond(std::lower_bound(halo.begin(), halo.end(), j) - halo.begin(), 0);
      if (to > 0.0) row.emplace_back(static_cast<std::int32_t>(to) - 1, scale * v);
    });
    std::sort(row.begin(), row.end());
    for (const auto& [column, value] : row) {
      rows.column.push_back(column);
      rows.value.push_back(value);
    }
    rows.row_start.push_back(static_cast<std::int64_t>(rows.column.size()));
  }
  return std::make_unique<SharedCsrOperator>(
      std::make_shared<const HaloMatrix>(part, std::move(rows)), scale * diagonal_,
      options_.threads, options_.cancelled);
}

std::optional<Vector> SharedGraphGram::squared_row_norms(std::span<const Index> samples) const {
  Matrix result = Matrix::Zero(static_cast<Index>(samples.size()), 1);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Index i = layout_->local(samples[k]);
    if (i < 0) continue;
    double own = diagonal_, others = 0.0;
    s_->visit_row(i, [&](Index j, double v) {
      if (j == samples[k]) {
        own += v;
      } else {
        others += v * v;
      }
    });
    result(static_cast<Index>(k), 0) = others + own * own;
  }
  layout_->sum(result);
  return Vector(result.col(0));
}

std::vector<char> SharedGraphGram::reached(const std::vector<char>& from, int steps) const {
  if (steps != 0 || !eigenspace_) return GramOperator::reached(from, steps);
  // The groups are the components, each with at least one edge.
  Matrix groups = Matrix::Zero(eigenspace_->dimension(), 1);
  for (Index i = 0; i < layout_->count(); ++i) {
    if (from[i] && eigenspace_->group(i) >= 0) groups(eigenspace_->group(i), 0) = 1.0;
  }
  layout_->sum(groups.topRows(eigenspace_->shared_groups()));
  std::vector<char> result(from.size(), 0);
  for (Index i = 0; i < layout_->count(); ++i) {
    const std::int32_t group = eigenspace_->group(i);
    result[i] = group >= 0 ? groups(group, 0) > 0.0 : from[i] && diagonal_ > 0.0;
  }
  return result;
}

std::unique_ptr<CrossKernel> SharedGraphGram::cross_kernel() const {
  return std::make_unique<GraphCrossKernel>(degrees_, options_.threads);
}

}  // namespace stkr::petsc
