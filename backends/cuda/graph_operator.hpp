#pragma once

#include <utility>

#include "csr_on_device.hpp"

namespace stkr::cuda {

// A sparse matrix plus a multiple of the identity, with its own copy of the matrix.
class GraphOperator : public BasicLinearOperator<CudaBlock> {
 public:
  GraphOperator(const CsrMatrix& matrix, double diagonal)
      : matrix_(matrix), product_(matrix_, diagonal) {}

  Index size() const override { return matrix_.rows(); }
  CudaBlock new_block(Index columns) const override { return {size(), columns}; }
  void apply(ConstCudaView x, CudaView y) const override { product_.apply(x, y); }
  void apply_step(double a, ConstCudaView x, double b, double c, CudaView y) const override {
    product_.apply_step(a, x, b, c, y);
  }

 private:
  CsrOnDevice matrix_;
  CsrOperatorOnDevice product_;
};

}  // namespace stkr::cuda
