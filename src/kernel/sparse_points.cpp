#include "kernel/sparse_points.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/byte_count.hpp"

namespace stkr {
namespace {

// Calls both(x_k, y_k) for every feature that x or y has, in ascending order.
template <class Both>
void visit_pair(SparsePoint x, SparsePoint y, Both both) {
  std::size_t i = 0, j = 0;
  while (i < x.column.size() && j < y.column.size()) {
    if (x.column[i] < y.column[j]) {
      both(x.value[i++], 0.0);
    } else if (y.column[j] < x.column[i]) {
      both(0.0, y.value[j++]);
    } else {
      both(x.value[i++], y.value[j++]);
    }
  }
  while (i < x.column.size()) both(x.value[i++], 0.0);
  while (j < y.column.size()) both(0.0, y.value[j++]);
}

}  // namespace

SparsePoint sparse_point(const CsrMatrix& points, Index i) {
  const auto begin = static_cast<std::size_t>(points.row_start[i]);
  const auto count = static_cast<std::size_t>(points.row_start[i + 1]) - begin;
  return {std::span(points.column).subspan(begin, count),
          std::span(points.value).subspan(begin, count)};
}

double squared_norm(SparsePoint x) {
  double sum = 0.0;
  for (const double value : x.value) sum += value * value;
  return sum;
}

double absolute_sum(SparsePoint x) {
  double sum = 0.0;
  for (const double value : x.value) sum += std::abs(value);
  return sum;
}

double squared_distance(SparsePoint x, SparsePoint y) {
  double sum = 0.0;
  visit_pair(x, y, [&](double a, double b) { sum += (a - b) * (a - b); });
  return sum;
}

double kernel_distance(const Kernel& kernel, SparsePoint x, SparsePoint y, Index features) {
  std::vector<double> a, b;
  const CustomKernel* custom = kernel.custom();
  if (custom && (custom->distance || kernel.of_points())) {
    // A function of the points themselves: it sees all features.
    a.assign(features, 0.0);
    b.assign(features, 0.0);
    scatter(x, a);
    scatter(y, b);
  } else {
    visit_pair(x, y, [&](double u, double v) {
      a.push_back(u);
      b.push_back(v);
    });
  }
  return kernel.distance(a, b);
}

Index sparse_packed_features(Index points, Index entries) {
  return std::max<Index>(1, 3 * entries / std::max<Index>(points, 1));
}

std::uint64_t sparse_point_bytes(Index points, Index entries) {
  // Entries; row starts and, for saving, entries per row.
  return byte_count(entries, 12.0) + byte_count(points, 12.0);
}

// Entries; if each has a feature of its own, up to four slots, its name, its start and a copy.
std::uint64_t feature_list_bytes(Index entries) { return byte_count(entries, 12.0 + 36.0); }

void scatter(SparsePoint x, std::vector<double>& to) {
  for (std::size_t k = 0; k < x.column.size(); ++k) to[x.column[k]] = x.value[k];
}

void clear(SparsePoint x, std::vector<double>& to) {
  for (const std::int32_t column : x.column) to[column] = 0.0;
}

std::size_t FeatureLists::slot_of(std::int32_t feature) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (static_cast<std::uint64_t>(feature) * 0x9e3779b97f4a7c15ULL >> 32) & mask;
  while (slots_[at] >= 0 && feature_[slots_[at]] != feature) at = (at + 1) & mask;
  return at;
}

void FeatureLists::build(const CsrMatrix& points, Index first, Index count) {
  const std::int64_t begin = points.row_start[first], end = points.row_start[first + count];
  const auto most = static_cast<std::size_t>(std::min<std::int64_t>(end - begin, points.cols));
  slots_.assign(std::bit_ceil(2 * most + 1), -1);
  feature_.clear();
  start_.assign(1, 0);
  for (std::int64_t p = begin; p < end; ++p) {
    std::int32_t& slot = slots_[slot_of(points.column[p])];
    if (slot < 0) {
      slot = static_cast<std::int32_t>(feature_.size());
      feature_.push_back(points.column[p]);
      start_.push_back(0);
    }
    ++start_[slot + 1];
  }
  for (std::size_t f = 1; f < start_.size(); ++f) start_[f] += start_[f - 1];
  point_.resize(static_cast<std::size_t>(end - begin));
  value_.resize(point_.size());
  std::vector<std::int64_t> next(start_.begin(), start_.end() - 1);
  for (Index i = 0; i < count; ++i) {
    for (std::int64_t p = points.row_start[first + i]; p < points.row_start[first + i + 1]; ++p) {
      const std::int64_t at = next[slots_[slot_of(points.column[p])]]++;
      point_[at] = static_cast<std::int32_t>(i);
      value_[at] = points.value[p];
    }
  }
}

template <class Term>
void FeatureLists::visit_shared(SparsePoint x, Term term) const {
  for (std::size_t k = 0; k < x.column.size(); ++k) {
    const std::int32_t f = slots_[slot_of(x.column[k])];
    if (f < 0) continue;
    const double value = x.value[k];
    for (std::int64_t p = start_[f]; p < start_[f + 1]; ++p) term(point_[p], value, value_[p]);
  }
}

template <class Scalar>
void FeatureLists::add_products(SparsePoint x, Scalar* out) const {
  visit_shared(x, [out](std::int32_t j, double a, double b) {
    out[j] += static_cast<Scalar>(a) * static_cast<Scalar>(b);
  });
}

template <class Scalar>
void FeatureLists::add_overlaps(SparsePoint x, Scalar* out) const {
  visit_shared(x, [out](std::int32_t j, double a, double b) {
    out[j] += static_cast<Scalar>((std::abs(a) + std::abs(b)) - std::abs(a - b));
  });
}

template void FeatureLists::add_products(SparsePoint, float*) const;
template void FeatureLists::add_products(SparsePoint, double*) const;
template void FeatureLists::add_overlaps(SparsePoint, float*) const;
template void FeatureLists::add_overlaps(SparsePoint, double*) const;

}  // namespace stkr
