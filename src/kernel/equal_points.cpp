#include "equal_points.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernel/sparse_points.hpp"
#include "runtime/parallel.hpp"

namespace stkr {
namespace {

constexpr std::uint64_t kHashStart = 1469598103934665603ULL;

std::uint64_t mix(std::uint64_t hash, std::uint64_t bits) {
  hash = (hash ^ bits) * 1099511628211ULL;
  return hash ^ (hash >> 29);
}

// The low bits select the slot, and coordinates such as small integers differ in the high bits.
std::uint64_t finish(std::uint64_t hash) {
  hash *= 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 32);
}

Index row_count(const MatrixF& points) { return points.rows(); }
Index row_count(const CsrMatrix& points) { return points.rows; }

std::uint64_t hash_row(const MatrixF& points, Index i) {
  std::uint64_t hash = kHashStart;
  for (Index k = 0; k < points.cols(); ++k) {
    hash = mix(hash, std::bit_cast<std::uint32_t>(points(i, k)));
  }
  return finish(hash);
}

std::uint64_t hash_row(const CsrMatrix& points, Index i) {
  const SparsePoint x = sparse_point(points, i);
  std::uint64_t hash = kHashStart;
  for (std::size_t k = 0; k < x.column.size(); ++k) {
    hash = mix(mix(hash, static_cast<std::uint64_t>(x.column[k])),
               std::bit_cast<std::uint64_t>(x.value[k]));
  }
  return finish(hash);
}

bool equal_rows(const MatrixF& points, Index i, const MatrixF& queries, Index j) {
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(queries.cols());
  return std::memcmp(points.row(i).data(), queries.row(j).data(), bytes) == 0;
}

bool equal_rows(const CsrMatrix& points, Index i, const CsrMatrix& queries, Index j) {
  const SparsePoint x = sparse_point(points, i), y = sparse_point(queries, j);
  return std::equal(x.column.begin(), x.column.end(), y.column.begin(), y.column.end()) &&
         std::equal(x.value.begin(), x.value.end(), y.value.begin(), y.value.end());
}

std::vector<std::int32_t> free_slots(Index rows) {
  return std::vector<std::int32_t>(std::bit_ceil(2 * static_cast<std::size_t>(rows) + 1), -1);
}

template <class Points>
std::vector<std::uint64_t> hashes_of(const Points& points) {
  constexpr Index kGrain = 256;
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(row_count(points)));
  parallel_chunks(row_count(points), kGrain, 0, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) hashes[i] = hash_row(points, i);
  });
  return hashes;
}

// The slot of the row equal to row i of `queries`, which has this hash, or the free slot where it
// would be inserted.
template <class Points>
std::size_t slot_of(const Points& points, const std::vector<std::int32_t>& slots,
                    const Points& queries, Index i, std::uint64_t hash) {
  const std::size_t mask = slots.size() - 1;
  std::size_t at = hash & mask;
  while (slots[at] >= 0 && !equal_rows(points, slots[at], queries, i)) at = (at + 1) & mask;
  return at;
}

}  // namespace

template <class Points>
std::vector<std::int32_t> hash_rows(const Points& points) {
  const std::vector<std::uint64_t> hashes = hashes_of(points);
  std::vector<std::int32_t> slots = free_slots(row_count(points));
  for (Index i = 0; i < row_count(points); ++i) {
    std::int32_t& slot = slots[slot_of(points, slots, points, i, hashes[i])];
    if (slot < 0) slot = static_cast<std::int32_t>(i);
  }
  return slots;
}

template <class Points>
Index find_row(const Points& points, const std::vector<std::int32_t>& slots, const Points& queries,
               Index i) {
  return slots[slot_of(points, slots, queries, i, hash_row(queries, i))];
}

std::vector<std::int32_t> keep_distinct(MatrixF& points) {
  const Index count = points.rows();
  const std::vector<std::uint64_t> hashes = hashes_of(points);
  std::vector<std::int32_t> slots = free_slots(count), distinct_of(count);
  Index kept = 0;
  for (Index i = 0; i < count; ++i) {
    std::int32_t& slot = slots[slot_of(points, slots, points, i, hashes[i])];
    if (slot < 0) {
      if (kept != i) points.row(kept) = points.row(i);
      slot = static_cast<std::int32_t>(kept++);
    }
    distinct_of[i] = slot;
  }
  if (kept < count) points.conservativeResize(kept, Eigen::NoChange);
  return distinct_of;
}

std::vector<std::int32_t> keep_distinct(CsrMatrix& points) {
  const std::vector<std::uint64_t> hashes = hashes_of(points);
  std::vector<std::int32_t> slots = free_slots(points.rows), distinct_of(points.rows);
  std::vector<Index> kept;
  for (Index i = 0; i < points.rows; ++i) {
    // Slots hold the first row of each kind.
    std::int32_t& slot = slots[slot_of(points, slots, points, i, hashes[i])];
    if (slot < 0) {
      slot = static_cast<std::int32_t>(i);
      distinct_of[i] = static_cast<std::int32_t>(kept.size());
      kept.push_back(i);
    } else {
      distinct_of[i] = distinct_of[slot];
    }
  }
  if (static_cast<Index>(kept.size()) < points.rows) points = chosen_rows(points, kept);
  return distinct_of;
}

template std::vector<std::int32_t> hash_rows(const MatrixF&);
template std::vector<std::int32_t> hash_rows(const CsrMatrix&);
template Index find_row(const MatrixF&, const std::vector<std::int32_t>&, const MatrixF&, Index);
template Index find_row(const CsrMatrix&, const std::vector<std::int32_t>&, const CsrMatrix&,
                        Index);

}  // namespace stkr
