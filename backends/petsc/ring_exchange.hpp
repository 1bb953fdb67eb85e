#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "row_layout.hpp"

namespace stkr::petsc {

// An array with a row per sample: the rows of this process, without gaps.
struct RingArray {
  const void* own = nullptr;
  std::size_t row_bytes = 0;
};

// The rows of one process in all arrays of a ring.
struct RingBlock {
  int step = 0;
  int owner = 0;
  Index first = 0;  // the number of the first row, of all processes
  Index count = 0;
  std::vector<const void*> arrays;

  template <class T>
  const T* rows(std::size_t array) const {
    return static_cast<const T*>(arrays[array]);
  }
};

// Passes the blocks of all processes around: in step s, a process has the block of the process s
// before it, while the next one is on its way to it. Two blocks per process are in memory besides
// its own.
class RingExchange {
 public:
  // The arrays must outlive the exchange.
  RingExchange(std::shared_ptr<const RowLayout> layout, std::vector<RingArray> arrays);

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  // Calls `visit` in steps 0 to `steps` - 1; it must not communicate. What it throws in one
  // process, all throw. Then all processes call `after`, if given.
  void pass(int steps, const std::function<void(const RingBlock&)>& visit,
            const std::function<void(const RingBlock&)>& after = {}) const;

  // In `after`: sends `results`, which has a row for every row of the visiting block, to its owner,
  // and receives those for the own block from the process where it was.
  void give_back(const RingBlock& visitor, const void* results, void* received,
                 std::size_t row_bytes) const;

 private:
  Index count_of(int owner) const;

  std::shared_ptr<const RowLayout> layout_;
  std::vector<RingArray> arrays_;
  int rank_ = 0, ranks_ = 1;
};

// How many steps bring every pair of blocks together in one of the two processes.
inline int steps_of_pairs(int ranks) { return ranks / 2 + 1; }

// Of the rows of this process and those of a visitor, the ranges whose pairs this process computes,
// so that every pair is computed once: all of them, or half in the last step of an even number of
// processes, when two processes visit each other.
struct PairRange {
  Index own_first = 0, own_count = 0, visitor_first = 0, visitor_count = 0;
};
PairRange pairs_of(const RingBlock& visitor, Index own_count, int rank, int ranks);

}  // namespace stkr::petsc
