#include "halo_operator.hpp"

#include <utility>

#include "device/device_operator_template.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {

HaloOperator::HaloOperator(std::shared_ptr<const HaloMatrix> matrix, double diagonal, int threads,
                           std::function<bool()> cancelled)
    : matrix_(std::move(matrix)),
      diagonal_(diagonal),
      threads_(threads),
      cancelled_(std::move(cancelled)) {}

void HaloOperator::apply(ConstView x, View y) const { apply_step(1.0, x, 0.0, 0.0, y); }

void HaloOperator::apply_step(double a, ConstView x, double b, double c, View y) const {
  check_apply_shapes<PetscBlock>(*this, x, y, "a product of the PETSc engine");
  if (cancelled_ && any_over(matrix_->layout().get(), cancelled_())) {
    throw Cancelled("interrupted");
  }
  matrix_->apply_step(a, x.local(), b + a * diagonal_, c, y.local(), threads_);
}

SharedCsrOperator::SharedCsrOperator(std::shared_ptr<const HaloMatrix> matrix, double diagonal,
                                     int threads, std::function<bool()> cancelled)
    : matrix_(std::move(matrix)),
      on_device_(device_operator(matrix_, diagonal, threads, std::move(cancelled))) {}

std::shared_ptr<const DeviceOperator> device_operator(
    std::shared_ptr<const BasicLinearOperator<PetscBlock>> op) {
  return std::make_shared<const DeviceOperatorOf<PetscBlock>>(std::move(op));
}

std::shared_ptr<const DeviceOperator> device_operator(std::shared_ptr<const HaloMatrix> matrix,
                                                      double diagonal, int threads,
                                                      std::function<bool()> cancelled) {
  return device_operator(std::make_shared<const HaloOperator>(std::move(matrix), diagonal, threads,
                                                              std::move(cancelled)));
}

}  // namespace stkr::petsc
