#pragma once

#include "stkr/matrix.hpp"

namespace stkr {

// A symmetric N × N matrix known only by its products with blocks of vectors: all that a solver
// needs of a kernel or a graph. A custom operator implements its size and its product.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;

  // N: the number of rows of x and y.
  virtual Index size() const = 0;

  // y = A x for an N × C block. x and y do not overlap. May be called from one thread at a time;
  // the result does not depend on the number of threads that the operator uses internally.
  virtual void apply(ConstMatrixRef x, MatrixRef y) const = 0;

  // y ← a A x + b x + c y: a step of a three-term recurrence. With c = 0, y is not read. Override
  // it if one pass over memory can replace the product and the two further passes made here.
  virtual void apply_step(double a, ConstMatrixRef x, double b, double c, MatrixRef y) const;

  // The best number of columns per panel if a step is repeated many times. A small number means
  // that such a panel stays in cache, and that steps with different panels may run concurrently. 0
  // means all columns and one step at a time, because a product computes entries that serve every
  // column.
  virtual Index panel_columns() const { return 0; }

 protected:
  LinearOperator() = default;
  LinearOperator(const LinearOperator&) = default;
  LinearOperator(LinearOperator&&) = default;
  LinearOperator& operator=(const LinearOperator&) = default;
  LinearOperator& operator=(LinearOperator&&) = default;
};

// Throws ShapeError unless `op` can map x to y. `who` starts the message.
void check_apply_shapes(const LinearOperator& op, ConstMatrixRef x, ConstMatrixRef y,
                        const char* who);

// A x as a new block.
Matrix product(const LinearOperator& op, ConstMatrixRef x);

}  // namespace stkr
