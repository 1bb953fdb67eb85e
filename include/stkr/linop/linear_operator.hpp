#pragma once

#include <limits>
#include <memory>

#include "stkr/error.hpp"
#include "stkr/linop/block.hpp"
#include "stkr/linop/shared_rows.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// An interval that contains every eigenvalue of an operator. An infinite end is unknown.
struct SpectrumBounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

class DeviceOperator;  // linop/device_operator

// What apply_roughly() computes instead of apply().
struct RoughProducts {
  double error = 0.0;     // relative error of a product; 0: the same products as apply()
  const char* name = "";  // "fp16"
};

// A symmetric N × N matrix known only by its products with blocks of vectors: all that a solver
// needs of a kernel or a graph. A custom operator on the host derives from LinearOperator and
// implements its size and its product.
template <class Block>
class BasicLinearOperator {
 public:
  using View = BlockView<Block>;
  using ConstView = ConstBlockView<Block>;

  virtual ~BasicLinearOperator() = default;

  // N.
  virtual Index size() const = 0;

  // The processes that share the rows of x and y; null: this one has all of them.
  virtual const SharedRows* shared_rows() const { return nullptr; }

  // The rows of x and y that this process holds: all N unless several processes share them.
  virtual Index local_size() const { return shared_rows() ? shared_rows()->count() : size(); }

  // An uninitialized block that apply() accepts. Override it if a block needs more than a shape,
  // such as a device or a communicator.
  virtual Block new_block(Index columns) const {
    if constexpr (std::constructible_from<Block, Index, Index>) {
      return Block(local_size(), columns);
    } else {
      throw Error("a LinearOperator on blocks that need more than a shape must make them itself");
    }
  }

  // y = A x for an N × C block. x and y do not overlap. May be called from one thread at a time;
  // the result does not depend on the number of threads that the operator uses internally.
  virtual void apply(ConstView x, View y) const = 0;

  // y ← a A x + b x + c y: a step of a three-term recurrence. With c = 0, y is not read. Override
  // it if one pass over memory can replace the product and the further pass made here.
  virtual void apply_step(double a, ConstView x, double b, double c, View y) const {
    Block ax = block_like(x, x.cols());
    apply(x, ax);
    recurrence_step(a, ax, b, x, c, y, 1);
  }

  // y ≈ A x in a lower, faster precision. Solvers that recompute true residuals with apply() use it
  // in between (solver/krylov_template). rough() says how good it is.
  virtual void apply_roughly(ConstView x, View y) const { apply(x, y); }
  virtual RoughProducts rough() const { return {}; }

  // The same operator on blocks of a device, or null if its blocks are in host memory only.
  // Solvers, polynomials and eigenpairs of the host then run there as a whole.
  virtual std::shared_ptr<const DeviceOperator> on_device() const { return nullptr; }

  // The best number of columns per panel if a step is repeated many times. A small number means
  // that such a panel stays in cache, and that steps with different panels may run concurrently. 0
  // means all columns and one step at a time, because a product computes entries that serve every
  // column.
  virtual Index panel_columns() const { return 0; }

 protected:
  BasicLinearOperator() = default;
  BasicLinearOperator(const BasicLinearOperator&) = default;
  BasicLinearOperator(BasicLinearOperator&&) = default;
  BasicLinearOperator& operator=(const BasicLinearOperator&) = default;
  BasicLinearOperator& operator=(BasicLinearOperator&&) = default;
};

using LinearOperator = BasicLinearOperator<Matrix>;
extern template class BasicLinearOperator<Matrix>;

namespace detail {
void check_shapes(Index size, Index x_rows, Index x_columns, Index y_rows, Index y_columns,
                  const char* who);
}  // namespace detail

// Throws ShapeError unless `op` can map x to y. `who` starts the message.
template <class Block>
void check_apply_shapes(const BasicLinearOperator<Block>& op, ConstBlockView<Block> x,
                        ConstBlockView<Block> y, const char* who) {
  detail::check_shapes(op.local_size(), x.rows(), x.cols(), y.rows(), y.cols(), who);
}

// A x as a new block.
template <class Block>
Block product(const BasicLinearOperator<Block>& op, ConstBlockView<Block> x) {
  Block y = block_like(x, x.cols());
  op.apply(x, y);
  return y;
}

}  // namespace stkr
