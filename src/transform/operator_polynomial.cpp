#include "transform/operator_polynomial.hpp"

namespace stkr {

void apply_polynomial(const LinearOperator& a, const std::vector<double>& coefficients,
                      ConstMatrixRef x, MatrixRef y, Matrix* scratch) {
  check_apply_shapes(a, x, y, "apply_polynomial");
  if (coefficients.empty()) {
    y.setZero();
    return;
  }
  y = coefficients.back() * x;
  if (coefficients.size() == 1) return;
  Matrix own;
  Matrix& next = scratch ? *scratch : own;
  next.resize(x.rows(), x.cols());
  for (std::size_t k = coefficients.size() - 1; k-- > 0;) {
    a.apply(y, next);
    if (coefficients[k] == 0.0) {
      y = next;
    } else {
      y = next + coefficients[k] * x;
    }
  }
}

}  // namespace stkr
