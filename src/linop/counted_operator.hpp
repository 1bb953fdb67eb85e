#pragma once

#include <atomic>

#include "linop/device_operator.hpp"

namespace stkr {

// An operator with a counter of its products, also of those on a device. `op` must outlive it.
template <class Block>
class BasicCountedOperator : public BasicLinearOperator<Block> {
 public:
  explicit BasicCountedOperator(const BasicLinearOperator<Block>& op) : op_(op) {}

  Index size() const override { return op_.size(); }
  const SharedRows* shared_rows() const override { return op_.shared_rows(); }
  Index local_size() const override { return op_.local_size(); }
  Block new_block(Index columns) const override { return op_.new_block(columns); }
  void apply(ConstBlockView<Block> x, BlockView<Block> y) const override {
    op_.apply(x, y);
    ++count_;
  }
  void apply_step(double a, ConstBlockView<Block> x, double b, double c,
                  BlockView<Block> y) const override {
    op_.apply_step(a, x, b, c, y);
    ++count_;
  }
  void apply_roughly(ConstBlockView<Block> x, BlockView<Block> y) const override {
    op_.apply_roughly(x, y);
    ++count_;
  }
  RoughProducts rough() const override { return op_.rough(); }
  std::shared_ptr<const DeviceOperator> on_device() const override {
    const auto device = op_.on_device();
    return device ? device->counted(count_) : nullptr;
  }
  Index panel_columns() const override { return op_.panel_columns(); }
  long count() const { return count_; }

 private:
  const BasicLinearOperator<Block>& op_;
  mutable std::atomic<long> count_ = 0;  // panels may be filtered concurrently
};

using CountedOperator = BasicCountedOperator<Matrix>;

}  // namespace stkr
