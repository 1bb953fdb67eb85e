#include "stkr/linop/linear_operator.hpp"

#include <fmt/format.h>

#include "stkr/error.hpp"

namespace stkr {

void LinearOperator::apply_step(double a, ConstMatrixRef x, double b, double c, MatrixRef y) const {
  const Matrix ax = product(*this, x);
  if (c == 0.0) {
    y = a * ax + b * x;
  } else {
    y = a * ax + b * x + c * y;
  }
}

void check_apply_shapes(const LinearOperator& op, ConstMatrixRef x, ConstMatrixRef y,
                        const char* who) {
  if (x.rows() != op.size()) {
    throw ShapeError(
        fmt::format("{}: x has {} rows but the operator has size {}; pass one row per sample", who,
                    x.rows(), op.size()));
  }
  if (y.rows() != x.rows() || y.cols() != x.cols()) {
    throw ShapeError(fmt::format("{}: y is {} x {} but x is {} x {}; they must have the same shape",
                                 who, y.rows(), y.cols(), x.rows(), x.cols()));
  }
}

Matrix product(const LinearOperator& op, ConstMatrixRef x) {
  Matrix y(x.rows(), x.cols());
  op.apply(x, y);
  return y;
}

}  // namespace stkr
