#pragma once

#include "stkr/linop/csr_matrix.hpp"
#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/device.hpp"

namespace stkr {

// A + diagonal · I for a symmetric sparse A.
class CsrOperator final : public LinearOperator {
 public:
  // Throws ShapeError unless A is square. `threads`: 0 for all cores.
  explicit CsrOperator(CsrMatrix matrix, double diagonal = 0.0, int threads = 0,
                       const Device& device = {});

  Index size() const override { return matrix_.rows; }
  void apply(ConstMatrixRef x, MatrixRef y) const override;
  void apply_step(double a, ConstMatrixRef x, double b, double c, MatrixRef y) const override;
  Index panel_columns() const override;
  std::shared_ptr<const DeviceOperator> on_device() const override { return on_device_; }

  const CsrMatrix& matrix() const { return matrix_; }
  double diagonal() const { return diagonal_; }
  int threads() const { return threads_; }
  const Device& device() const { return device_; }

 private:
  CsrMatrix matrix_;
  double diagonal_;
  int threads_;
  Device device_;
  std::shared_ptr<const DeviceOperator> on_device_;  // null: the CPU
};

}  // namespace stkr
