#include "equal_points.hpp"

#include <bit>
#include <cstring>

namespace stkr {
namespace {

std::uint64_t hash_row(const MatrixF& points, Index i) {
  std::uint64_t hash = 1469598103934665603ULL;
  for (Index k = 0; k < points.cols(); ++k) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &points(i, k), sizeof(bits));
    hash = (hash ^ bits) * 1099511628211ULL;
    hash ^= hash >> 29;
  }
  // The low bits select the slot, and coordinates such as small integers differ in the high bits.
  hash *= 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 32);
}

std::vector<std::int32_t> free_slots(Index rows) {
  return std::vector<std::int32_t>(std::bit_ceil(2 * static_cast<std::size_t>(rows) + 1), -1);
}

// The slot of the row equal to row i of `queries`, or the free slot where it would be inserted.
std::size_t slot_of(const MatrixF& points, const std::vector<std::int32_t>& slots,
                    const MatrixF& queries, Index i) {
  const std::size_t mask = slots.size() - 1;
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(queries.cols());
  std::size_t at = hash_row(queries, i) & mask;
  while (slots[at] >= 0 &&
         std::memcmp(points.row(slots[at]).data(), queries.row(i).data(), bytes) != 0) {
    at = (at + 1) & mask;
  }
  return at;
}

}  // namespace

std::vector<std::int32_t> hash_rows(const MatrixF& points) {
  std::vector<std::int32_t> slots = free_slots(points.rows());
  for (Index i = 0; i < points.rows(); ++i) {
    std::int32_t& slot = slots[slot_of(points, slots, points, i)];
    if (slot < 0) slot = static_cast<std::int32_t>(i);
  }
  return slots;
}

Index find_row(const MatrixF& points, const std::vector<std::int32_t>& slots,
               const MatrixF& queries, Index i) {
  return slots[slot_of(points, slots, queries, i)];
}

std::vector<std::int32_t> keep_distinct(MatrixF& points) {
  const Index count = points.rows();
  std::vector<std::int32_t> slots = free_slots(count), distinct_of(count);
  Index kept = 0;
  for (Index i = 0; i < count; ++i) {
    std::int32_t& slot = slots[slot_of(points, slots, points, i)];
    if (slot < 0) {
      if (kept != i) points.row(kept) = points.row(i);
      slot = static_cast<std::int32_t>(kept++);
    }
    distinct_of[i] = slot;
  }
  if (kept < count) points.conservativeResize(kept, Eigen::NoChange);
  return distinct_of;
}

}  // namespace stkr
