#pragma once

#include <memory>

#include "cuda_block.hpp"
#include "packed_points.hpp"
#include "stkr/linop/linear_operator.hpp"

namespace stkr::cuda {

// S = K(X, X)/N on device blocks, evaluated in every product and never stored.
class KernelOperator : public BasicLinearOperator<CudaBlock> {
 public:
  // The same points in two precisions; `rough` may be null.
  KernelOperator(std::shared_ptr<const PackedPoints> precise,
                 std::shared_ptr<const PackedPoints> rough);

  Index size() const override { return static_cast<Index>(precise_->count()); }
  CudaBlock new_block(Index columns) const override { return {size(), columns}; }
  void apply(ConstCudaView x, CudaView y) const override;
  void apply_roughly(ConstCudaView x, CudaView y) const override;
  RoughProducts rough() const override;

 private:
  std::shared_ptr<const PackedPoints> precise_, rough_;
};

}  // namespace stkr::cuda
