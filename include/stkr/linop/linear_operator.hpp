#pragma once

#include "stkr/linop/matrix.hpp"

namespace stkr {

// A symmetric N × N matrix known only by its products with blocks of vectors. Everything a solver
// asks of a kernel or a graph is here; your own operator is these two functions.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;

  // N: the number of rows of x and y.
  virtual Index size() const = 0;

  // y = A x for an N × C block. x and y do not overlap. Safe to call from one thread at a time;
  // the result does not depend on how many threads the operator uses inside.
  virtual void apply(ConstMatrixRef x, MatrixRef y) const = 0;

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
