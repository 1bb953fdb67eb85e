#include "stkr/linop/linear_operator.hpp"

#include <fmt/format.h>

namespace stkr {

template class BasicLinearOperator<Matrix>;

namespace detail {

void check_shapes(Index size, Index x_rows, Index x_columns, Index y_rows, Index y_columns,
                  const char* who) {
  if (x_rows != size) {
    throw ShapeError(
        fmt::format("{}: x has {} rows but the operator has size {}; pass one row per sample", who,
                    x_rows, size));
  }
  if (y_rows != x_rows || y_columns != x_columns) {
    throw ShapeError(fmt::format("{}: y is {} x {} but x is {} x {}; they must have the same shape",
                                 who, y_rows, y_columns, x_rows, x_columns));
  }
}

}  // namespace detail
}  // namespace stkr
