#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

// Keeps, for each of `count` points, the `capacity` smallest values offered to it, ordered by value
// and then by index. That order is total, so the lists do not depend on the order of the offers.
template <class Scalar>
class CandidateLists {
 public:
  CandidateLists(Index count, Index capacity)
      : capacity_(capacity),
        value_(count * capacity, std::numeric_limits<Scalar>::infinity()),
        index_(count * capacity, -1),
        worst_(count, std::numeric_limits<Scalar>::infinity()) {}

  Index capacity() const { return capacity_; }

  // Larger values can no longer enter the list of point i.
  Scalar worst(Index i) const { return worst_[i]; }
  const Scalar* worst() const { return worst_.data(); }

  const Scalar* values(Index i) const { return value_.data() + i * capacity_; }
  const std::int32_t* indices(Index i) const { return index_.data() + i * capacity_; }

  void offer(Index i, Scalar value, std::int32_t index) {
    Scalar* values = value_.data() + i * capacity_;
    std::int32_t* indices = index_.data() + i * capacity_;
    Index at = capacity_ - 1;
    const auto before = [&](Index slot) {
      return value < values[slot] ||
             (value == values[slot] &&
              static_cast<std::uint32_t>(index) < static_cast<std::uint32_t>(indices[slot]));
    };
    if (!before(at)) return;
    for (; at > 0 && before(at - 1); --at) {
      values[at] = values[at - 1];
      indices[at] = indices[at - 1];
    }
    values[at] = value;
    indices[at] = index;
    worst_[i] = values[capacity_ - 1];
  }

 private:
  Index capacity_;
  std::vector<Scalar> value_;
  std::vector<std::int32_t> index_;  // -1 if nothing has been offered yet
  std::vector<Scalar> worst_;
};

}  // namespace stkr
