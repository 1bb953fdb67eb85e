#pragma once

#include <functional>
#include <memory>

#include "halo_matrix.hpp"
#include "linop/device_operator.hpp"

namespace stkr::petsc {

// A + diagonal·I on blocks of the engine. `cancelled` is asked once per product; if it is true in
// any process, the product throws Cancelled in all of them.
class HaloOperator final : public BasicLinearOperator<PetscBlock> {
 public:
  HaloOperator(std::shared_ptr<const HaloMatrix> matrix, double diagonal, int threads,
               std::function<bool()> cancelled);

  Index size() const override { return matrix_->layout()->size(); }
  const SharedRows* shared_rows() const override { return matrix_->layout().get(); }
  PetscBlock new_block(Index columns) const override { return {matrix_->layout(), columns}; }
  void apply(ConstView x, View y) const override;
  void apply_step(double a, ConstView x, double b, double c, View y) const override;

 private:
  std::shared_ptr<const HaloMatrix> matrix_;
  double diagonal_;
  int threads_;
  std::function<bool()> cancelled_;
};

// The same for the host's blocks, which have the rows of this process.
class SharedCsrOperator final : public LinearOperator {
 public:
  SharedCsrOperator(std::shared_ptr<const HaloMatrix> matrix, double diagonal, int threads,
                    std::function<bool()> cancelled);

  Index size() const override { return matrix_->layout()->size(); }
  const SharedRows* shared_rows() const override { return matrix_->layout().get(); }
  void apply(ConstMatrixRef x, MatrixRef y) const override { on_device_->apply(x, y); }
  std::shared_ptr<const DeviceOperator> on_device() const override { return on_device_; }

 private:
  std::shared_ptr<const HaloMatrix> matrix_;
  std::shared_ptr<const DeviceOperator> on_device_;
};

// Operators on blocks of the engine, for estimators, whose blocks have the rows of this process.
std::shared_ptr<const DeviceOperator> device_operator(
    std::shared_ptr<const BasicLinearOperator<PetscBlock>> op);
std::shared_ptr<const DeviceOperator> device_operator(std::shared_ptr<const HaloMatrix> matrix,
                                                      double diagonal, int threads,
                                                      std::function<bool()> cancelled);

}  // namespace stkr::petsc
