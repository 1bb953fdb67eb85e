#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "linop/device_operator.hpp"
#include "stkr/linop/linear_operator.hpp"

namespace stkr {

// Operators made of others. Parts are shared: a unique_ptr converts, and borrowed() refers to an
// operator that outlives the result. `threads` are those of the passes besides the products.
template <class Block>
using SharedOperator = std::shared_ptr<const BasicLinearOperator<Block>>;

template <class Block>
SharedOperator<Block> borrowed(const BasicLinearOperator<Block>& op) {
  return {SharedOperator<Block>(), &op};
}

// factor · A
template <class Block>
class BasicScaledOperator : public BasicLinearOperator<Block> {
 public:
  BasicScaledOperator(SharedOperator<Block> op, double factor, int threads = 1)
      : op_(std::move(op)), factor_(factor), threads_(threads) {}

  Index size() const override { return op_->size(); }
  const SharedRows* shared_rows() const override { return op_->shared_rows(); }
  Index local_size() const override { return op_->local_size(); }
  Block new_block(Index columns) const override { return op_->new_block(columns); }
  void apply(ConstBlockView<Block> x, BlockView<Block> y) const override {
    op_->apply(x, y);
    axpby(factor_, y, 0.0, y, threads_);
  }
  void apply_roughly(ConstBlockView<Block> x, BlockView<Block> y) const override {
    op_->apply_roughly(x, y);
    axpby(factor_, y, 0.0, y, threads_);
  }
  RoughProducts rough() const override { return op_->rough(); }
  std::shared_ptr<const DeviceOperator> on_device() const override {
    const auto device = op_->on_device();
    return device ? device->scaled(factor_, threads_) : nullptr;
  }

 private:
  SharedOperator<Block> op_;
  double factor_;
  int threads_;
};

// Σ_k weights[k] A_k for at least one part, each in one pass if its apply_step makes one.
template <class Block>
class BasicSumOperator : public BasicLinearOperator<Block> {
 public:
  BasicSumOperator(std::vector<SharedOperator<Block>> parts, std::vector<double> weights)
      : parts_(std::move(parts)), weights_(std::move(weights)) {}

  Index size() const override { return parts_.front()->size(); }
  const SharedRows* shared_rows() const override { return parts_.front()->shared_rows(); }
  Index local_size() const override { return parts_.front()->local_size(); }
  Block new_block(Index columns) const override { return parts_.front()->new_block(columns); }
  void apply(ConstBlockView<Block> x, BlockView<Block> y) const override {
    apply_step(1.0, x, 0.0, 0.0, y);
  }
  void apply_step(double a, ConstBlockView<Block> x, double b, double c,
                  BlockView<Block> y) const override {
    check_apply_shapes(*this, x, y, "a sum of operators");
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      parts_[k]->apply_step(a * weights_[k], x, k == 0 ? b : 0.0, k == 0 ? c : 1.0, y);
    }
  }
  // The smallest panel of any part, or 0 if one of them serves all columns at once.
  Index panel_columns() const override {
    Index fewest = parts_.front()->panel_columns();
    for (const auto& part : parts_) fewest = std::min(fewest, part->panel_columns());
    return fewest;
  }
  // Null unless all parts are on one device.
  std::shared_ptr<const DeviceOperator> on_device() const override {
    auto sum = parts_.front()->on_device();
    if (sum) sum = sum->scaled(weights_.front(), 1);
    for (std::size_t k = 1; sum && k < parts_.size(); ++k) {
      const auto part = parts_[k]->on_device();
      sum = part ? sum->plus(1.0, *part, weights_[k]) : nullptr;
    }
    return sum;
  }

 private:
  std::vector<SharedOperator<Block>> parts_;
  std::vector<double> weights_;
};

// W (A + diag(t)) W for a diagonal W. `w` and `t` have one column; without t, W A W.
template <class Block>
class BasicDiagonalScaling : public BasicLinearOperator<Block> {
 public:
  BasicDiagonalScaling(SharedOperator<Block> op, Block w, Block t = {}, int threads = 1)
      : op_(std::move(op)), w_(std::move(w)), t_(std::move(t)), threads_(threads) {}

  Index size() const override { return op_->size(); }
  const SharedRows* shared_rows() const override { return op_->shared_rows(); }
  Index local_size() const override { return op_->local_size(); }
  Block new_block(Index columns) const override { return op_->new_block(columns); }
  void apply(ConstBlockView<Block> x, BlockView<Block> y) const override {
    scale(x, y, [&] { op_->apply(scratch_, y); });
  }
  void apply_roughly(ConstBlockView<Block> x, BlockView<Block> y) const override {
    scale(x, y, [&] { op_->apply_roughly(scratch_, y); });
  }
  RoughProducts rough() const override { return op_->rough(); }
  const Block& w() const { return w_; }
  std::shared_ptr<const DeviceOperator> on_device() const override {
    if constexpr (std::same_as<Block, Matrix>) {
      if (const auto device = op_->on_device()) {
        return device->diagonally_scaled(w_, t_, threads_);
      }
    }
    return nullptr;
  }

 private:
  // y = W (A + diag(t)) scratch_, scratch_ = W x
  template <class Product>
  void scale(ConstBlockView<Block> x, BlockView<Block> y, Product&& multiply) const {
    if (scratch_.rows() != x.rows() || scratch_.cols() != x.cols()) {
      scratch_ = block_like(x, x.cols());
    }
    scale_rows(w_, x, scratch_, threads_);
    multiply();
    if (t_.cols() > 0) {
      add_and_scale_rows(w_, t_, scratch_, y, threads_);
    } else {
      scale_rows(w_, y, y, threads_);
    }
  }

  SharedOperator<Block> op_;
  Block w_, t_;
  int threads_;
  mutable Block scratch_;  // reused: allocating a large block takes longer than filling it
};

// W A for a diagonal W: not symmetric, for iterations that do not need it. `w` has one column.
template <class Block>
class BasicRowScaling : public BasicLinearOperator<Block> {
 public:
  BasicRowScaling(SharedOperator<Block> op, Block w, int threads = 1)
      : op_(std::move(op)), w_(std::move(w)), threads_(threads) {}

  Index size() const override { return op_->size(); }
  const SharedRows* shared_rows() const override { return op_->shared_rows(); }
  Index local_size() const override { return op_->local_size(); }
  Block new_block(Index columns) const override { return op_->new_block(columns); }
  void apply(ConstBlockView<Block> x, BlockView<Block> y) const override {
    op_->apply(x, y);
    scale_rows(w_, y, y, threads_);
  }
  void apply_roughly(ConstBlockView<Block> x, BlockView<Block> y) const override {
    op_->apply_roughly(x, y);
    scale_rows(w_, y, y, threads_);
  }
  RoughProducts rough() const override { return op_->rough(); }
  std::shared_ptr<const DeviceOperator> on_device() const override {
    if constexpr (std::same_as<Block, Matrix>) {
      if (const auto device = op_->on_device()) return device->rows_scaled(w_, threads_);
    }
    return nullptr;
  }

 private:
  SharedOperator<Block> op_;
  Block w_;
  int threads_;
};

// A + V diag(factors) Vᵀ.
template <class Block>
class BasicLowRankSum : public BasicLinearOperator<Block> {
 public:
  BasicLowRankSum(SharedOperator<Block> op, std::shared_ptr<const Block> v, Vector factors,
                  int threads = 1)
      : op_(std::move(op)), v_(std::move(v)), factors_(std::move(factors)), threads_(threads) {}

  Index size() const override { return op_->size(); }
  const SharedRows* shared_rows() const override { return op_->shared_rows(); }
  Index local_size() const override { return op_->local_size(); }
  Block new_block(Index columns) const override { return op_->new_block(columns); }
  void apply(ConstBlockView<Block> x, BlockView<Block> y) const override {
    op_->apply(x, y);
    add(x, y);
  }
  void apply_roughly(ConstBlockView<Block> x, BlockView<Block> y) const override {
    op_->apply_roughly(x, y);
    add(x, y);
  }
  RoughProducts rough() const override { return op_->rough(); }
  std::shared_ptr<const DeviceOperator> on_device() const override {
    if constexpr (std::same_as<Block, Matrix>) {
      if (const auto device = op_->on_device()) {
        return device->plus_low_rank(*v_, factors_, threads_);
      }
    }
    return nullptr;
  }

 private:
  void add(ConstBlockView<Block> x, BlockView<Block> y) const {
    const Matrix coordinates = factors_.asDiagonal() * tall_product(*v_, x, threads_);
    subtract_product(*v_, -coordinates, y, threads_);
  }

  SharedOperator<Block> op_;
  std::shared_ptr<const Block> v_;
  Vector factors_;
  int threads_;
};

// P A P, where P removes known eigenvectors: centering, for one.
template <class Block>
class BasicProjectedOperator : public BasicLinearOperator<Block> {
 public:
  // `space` must outlive this object.
  BasicProjectedOperator(SharedOperator<Block> op, const KnownEigenspace& space, int threads = 1)
      : op_(std::move(op)), space_(space), threads_(threads) {}

  Index size() const override { return op_->size(); }
  const SharedRows* shared_rows() const override { return op_->shared_rows(); }
  Index local_size() const override { return op_->local_size(); }
  Block new_block(Index columns) const override { return op_->new_block(columns); }
  void apply(ConstBlockView<Block> x, BlockView<Block> y) const override {
    op_->apply(rest_of(x), y);
    project_out(space_, y, threads_);
  }
  void apply_roughly(ConstBlockView<Block> x, BlockView<Block> y) const override {
    op_->apply_roughly(rest_of(x), y);
    project_out(space_, y, threads_);
  }
  RoughProducts rough() const override { return op_->rough(); }

 private:
  Block rest_of(ConstBlockView<Block> x) const {
    Block rest = copy_of<Block>(x, threads_);
    project_out(space_, rest, threads_);
    return rest;
  }

  SharedOperator<Block> op_;
  const KnownEigenspace& space_;
  int threads_;
};

// A by its rough products.
template <class Block>
class BasicRoughOperator : public BasicLinearOperator<Block> {
 public:
  explicit BasicRoughOperator(const BasicLinearOperator<Block>& op) : op_(op) {}

  Index size() const override { return op_.size(); }
  const SharedRows* shared_rows() const override { return op_.shared_rows(); }
  Index local_size() const override { return op_.local_size(); }
  Block new_block(Index columns) const override { return op_.new_block(columns); }
  void apply(ConstBlockView<Block> x, BlockView<Block> y) const override {
    op_.apply_roughly(x, y);
  }

 private:
  const BasicLinearOperator<Block>& op_;
};

using ScaledOperator = BasicScaledOperator<Matrix>;
using SumOperator = BasicSumOperator<Matrix>;
using DiagonalScaling = BasicDiagonalScaling<Matrix>;
using RowScaling = BasicRowScaling<Matrix>;
using LowRankSum = BasicLowRankSum<Matrix>;

}  // namespace stkr
