#include "kernel_operator.hpp"

#include <utility>

#include "kernel_product.hpp"

namespace stkr::cuda {
namespace {

void multiply(const PackedPoints& points, ConstCudaView x, CudaView y) {
  symmetric_product(points, x.data(), static_cast<std::size_t>(x.stride()),
                    static_cast<int>(x.cols()), y.data(), static_cast<std::size_t>(y.stride()),
                    1.0 / static_cast<double>(points.count()));
}

}  // namespace

KernelOperator::KernelOperator(std::shared_ptr<const PackedPoints> precise,
                               std::shared_ptr<const PackedPoints> rough)
    : precise_(std::move(precise)), rough_(std::move(rough)) {
  // Values that do not suit a precision are packed in the next one.
  if (rough_ && rough_->precision() >= precise_->precision()) rough_.reset();
}

void KernelOperator::apply(ConstCudaView x, CudaView y) const {
  check_apply_shapes(*this, x, y, "KernelOperator::apply");
  multiply(*precise_, x, y);
}

void KernelOperator::apply_roughly(ConstCudaView x, CudaView y) const {
  check_apply_shapes(*this, x, y, "KernelOperator::apply_roughly");
  multiply(rough_ ? *rough_ : *precise_, x, y);
}

RoughProducts KernelOperator::rough() const {
  if (!rough_) return {};
  // What the rules of packing admit at most; typical errors are 4e-4 and 1e-6.
  return rough_->precision() == ProductPrecision::half ? RoughProducts{8e-4, "fp16"}
                                                       : RoughProducts{5e-5, "fp16x3"};
}

}  // namespace stkr::cuda
