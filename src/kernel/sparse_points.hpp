#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stkr/kernel/kernel.hpp"
#include "stkr/linop/csr_matrix.hpp"

// Points of which nearly all coordinates are 0. A coordinate that is 0 in both points changes
// neither their inner product nor their distance, so only entries are visited. Sums run over
// ascending features: a pair has the same result wherever it is computed, and if it is swapped.
namespace stkr {

// A row of a sparse matrix, which must outlive it. Columns ascend.
struct SparsePoint {
  std::span<const std::int32_t> column;
  std::span<const double> value;
};
SparsePoint sparse_point(const CsrMatrix& points, Index i);

double squared_norm(SparsePoint x);
double absolute_sum(SparsePoint x);  // ‖x‖₁
double squared_distance(SparsePoint x, SparsePoint y);

// The distance of a kernel (Kernel::distance) between points with this many features.
double kernel_distance(const Kernel& kernel, SparsePoint x, SparsePoint y, Index features);

// Features of dense points that take as much memory when packed as sparse points with these
// entries.
Index sparse_packed_features(Index points, Index entries);

// The memory of sparse points, and of their FeatureLists.
std::uint64_t sparse_point_bytes(Index points, Index entries);
std::uint64_t feature_list_bytes(Index entries);

// Adds a sparse point to a vector of zeros, and removes it again.
void scatter(SparsePoint x, std::vector<double>& to);
void clear(SparsePoint x, std::vector<double>& to);

// For each feature the points that have it: what all inner products with one point need. Memory and
// time do not depend on the number of features, only on the entries.
class FeatureLists {
 public:
  // The points [first, first + count), which are numbered from 0.
  void build(const CsrMatrix& points, Index first, Index count);

  // out[j] += <x, y_j>
  template <class Scalar>
  void add_products(SparsePoint x, Scalar* out) const;
  // out[j] += ‖x‖₁ + ‖y_j‖₁ - ‖x - y_j‖₁
  template <class Scalar>
  void add_overlaps(SparsePoint x, Scalar* out) const;

 private:
  std::size_t slot_of(std::int32_t feature) const;
  template <class Term>
  void visit_shared(SparsePoint x, Term term) const;

  // A hash table of features with linear probing: their number in order of appearance, or -1.
  std::vector<std::int32_t> slots_;
  std::vector<std::int32_t> feature_;
  // The points that have feature f are entries start_[f] to start_[f + 1], ascending.
  std::vector<std::int64_t> start_;
  std::vector<std::int32_t> point_;
  std::vector<double> value_;
};

}  // namespace stkr
