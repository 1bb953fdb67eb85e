#include "linop/csr_operator.hpp"

#include <fmt/format.h>

#include "linop/csr_product.hpp"
#include "stkr/error.hpp"

namespace stkr {

CsrOperator::CsrOperator(CsrMatrix matrix, double diagonal, int threads)
    : matrix_(std::move(matrix)), diagonal_(diagonal), threads_(threads) {
  if (matrix_.rows != matrix_.cols) {
    throw ShapeError(fmt::format("CsrOperator: the matrix is {} x {}; expected square",
                                 matrix_.rows, matrix_.cols));
  }
}

void CsrOperator::apply(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "CsrOperator::apply");
  multiply_step(matrix_, 1.0, x, diagonal_, 0.0, y, threads_);
}

void CsrOperator::apply_step(double a, ConstMatrixRef x, double b, double c, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "CsrOperator::apply_step");
  multiply_step(matrix_, a, x, b + a * diagonal_, c, y, threads_);
}

Index CsrOperator::panel_columns() const { return cached_columns(size()); }

}  // namespace stkr
