#pragma once

#include <atomic>

#include "stkr/linop/linear_operator.hpp"

namespace stkr {

// An operator with a counter of its products. `op` must outlive it.
class CountedOperator : public LinearOperator {
 public:
  explicit CountedOperator(const LinearOperator& op) : op_(op) {}
  Index size() const override { return op_.size(); }
  void apply(ConstMatrixRef x, MatrixRef y) const override {
    op_.apply(x, y);
    ++count_;
  }
  void apply_step(double a, ConstMatrixRef x, double b, double c, MatrixRef y) const override {
    op_.apply_step(a, x, b, c, y);
    ++count_;
  }
  Index panel_columns() const override { return op_.panel_columns(); }
  long count() const { return count_; }

 private:
  const LinearOperator& op_;
  mutable std::atomic<long> count_ = 0;  // panels may be filtered concurrently
};

}  // namespace stkr
