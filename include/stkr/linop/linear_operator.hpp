#pragma once

#include "stkr/linop/matrix.hpp"

namespace stkr {

// A symmetric N × N matrix known only by its products with blocks of vectors. Everything a solver
// asks of a kernel or a graph is here; your own operator is its size and its product.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;

  // N: the number of rows of x and y.
  virtual Index size() const = 0;

  // y = A x for an N × C block. x and y do not overlap. Safe to call from one thread at a time;
  // the result does not depend on how many threads the operator uses inside.
  virtual void apply(ConstMatrixRef x, MatrixRef y) const = 0;

  // y ← a A x + b x + c y: a step of a three-term recurrence. With c = 0, y is not read. Override
  // it where one pass over memory can do what the product and two more passes do here.
  virtual void apply_step(double a, ConstMatrixRef x, double b, double c, MatrixRef y) const;

  // How many columns at a time suit a step repeated many times: few where they then stay in cache,
  // and steps with different panels may run at the same time; 0, all there are and one step at a
  // time, where a product computes entries that serve every column.
  virtual Index panel_columns() const { return 0; }

 protected:
  LinearOperator() = default;
  LinearOperator(const LinearOperator&) = default;
  LinearOperator(LinearOperator&&) = default;
  LinearOperator& operator=(const LinearOperator&) = default;
  LinearOperator& operator=(LinearOperator&&) = default;
};

// Throws ShapeError unless x and y are blocks that `op` can map. `who` starts the message.
void check_apply_shapes(const LinearOperator& op, ConstMatrixRef x, ConstMatrixRef y,
                        const char* who);

// A x as a new block.
Matrix product(const LinearOperator& op, ConstMatrixRef x);

}  // namespace stkr
