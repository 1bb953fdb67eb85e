#pragma once

#include <vector>

#include "stkr/linop/linear_operator.hpp"

namespace stkr {

// scale · Eᵀ A E: the operator restricted to some samples, such as kernel PCA's G_{K,m}/m = (N/m) ·
// Eᵀ S E over the unlabeled samples. `op` must outlive this object.
template <class Block>
class BasicRestriction : public BasicLinearOperator<Block> {
 public:
  // Throws ValueError if a sample is out of range.
  BasicRestriction(const BasicLinearOperator<Block>& op, std::vector<Index> samples, double scale,
                   int threads = 1);

  Index size() const override { return static_cast<Index>(samples_.size()); }
  Index local_size() const override { return local_size_; }
  Block new_block(Index columns) const override {
    return block_of_rows(op_.new_block(0), samples_, columns);
  }
  void apply(ConstBlockView<Block> x, BlockView<Block> y) const override {
    check_apply_shapes(*this, x, y, "Restriction::apply");
    Block whole = op_.new_block(x.cols());
    scatter_rows(x, samples_, whole, threads_);
    gather_rows(scale_, product<Block>(op_, whole), samples_, y, threads_);
  }

 private:
  const BasicLinearOperator<Block>& op_;
  std::vector<Index> samples_;
  double scale_;
  int threads_;
  Index local_size_;
};

using Restriction = BasicRestriction<Matrix>;
extern template class BasicRestriction<Matrix>;

namespace detail {
void check_samples(const std::vector<Index>& samples, Index size, const char* who);
}  // namespace detail

template <class Block>
BasicRestriction<Block>::BasicRestriction(const BasicLinearOperator<Block>& op,
                                          std::vector<Index> samples, double scale, int threads)
    : op_(op), samples_(std::move(samples)), scale_(scale), threads_(threads) {
  detail::check_samples(samples_, op.size(), "Restriction");
  local_size_ = BasicRestriction::new_block(0).rows();
}

}  // namespace stkr
