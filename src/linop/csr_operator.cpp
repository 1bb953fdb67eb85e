#include "linop/csr_operator.hpp"

#include <fmt/format.h>

#include "linop/csr_product.hpp"
#include "linop/device_backend.hpp"
#include "stkr/error.hpp"

namespace stkr {

CsrOperator::CsrOperator(CsrMatrix matrix, double diagonal, int threads, const Device& device)
    : matrix_(std::move(matrix)), diagonal_(diagonal), threads_(threads), device_(device) {
  if (matrix_.rows != matrix_.cols) {
    throw ShapeError(fmt::format("CsrOperator: the matrix is {} x {}; expected square",
                                 matrix_.rows, matrix_.cols));
  }
  if (const DeviceBackend* backend = device_.backend()) {
    on_device_ = backend->sparse(matrix_, diagonal_);
  }
}

void CsrOperator::apply(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "CsrOperator::apply");
  if (on_device_) return on_device_->apply(x, y);
  multiply_step(matrix_, 1.0, x, diagonal_, 0.0, y, threads_);
}

void CsrOperator::apply_step(double a, ConstMatrixRef x, double b, double c, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "CsrOperator::apply_step");
  if (on_device_) return LinearOperator::apply_step(a, x, b, c, y);
  multiply_step(matrix_, a, x, b + a * diagonal_, c, y, threads_);
}

Index CsrOperator::panel_columns() const { return cached_columns(size()); }

}  // namespace stkr
