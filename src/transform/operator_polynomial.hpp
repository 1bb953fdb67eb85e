#pragma once

#include <vector>

#include "linop/operators.hpp"

namespace stkr {

// y = Σ_k coefficients[k] A^k x by Horner's rule: one product per degree, one block besides y,
// which is `scratch` if given. `threads` are those of the passes besides the products.
template <class Block>
void apply_polynomial(const BasicLinearOperator<Block>& a, const std::vector<double>& coefficients,
                      ConstBlockView<Block> x, BlockView<Block> y, Block* scratch = nullptr,
                      int threads = 1);

// Σ_k coefficients[k] A^k as an operator: Q = Σ ξ_p S^p of the paper's Algorithm 2, or I - ηS. `a`
// must outlive this object.
template <class Block>
class BasicOperatorPolynomial : public BasicLinearOperator<Block> {
 public:
  BasicOperatorPolynomial(const BasicLinearOperator<Block>& a, std::vector<double> coefficients,
                          int threads = 1)
      : a_(a), coefficients_(std::move(coefficients)), threads_(threads) {}

  Index size() const override { return a_.size(); }
  const SharedRows* shared_rows() const override { return a_.shared_rows(); }
  Index local_size() const override { return a_.local_size(); }
  Block new_block(Index columns) const override { return a_.new_block(columns); }
  void apply(ConstBlockView<Block> x, BlockView<Block> y) const override {
    apply_polynomial<Block>(a_, coefficients_, x, y, &scratch_, threads_);
  }
  void apply_roughly(ConstBlockView<Block> x, BlockView<Block> y) const override {
    apply_polynomial<Block>(BasicRoughOperator<Block>(a_), coefficients_, x, y, &scratch_,
                            threads_);
  }
  RoughProducts rough() const override { return a_.rough(); }
  std::shared_ptr<const DeviceOperator> on_device() const override {
    const auto device = a_.on_device();
    return device ? device->polynomial(coefficients_, threads_) : nullptr;
  }

 private:
  const BasicLinearOperator<Block>& a_;
  std::vector<double> coefficients_;
  int threads_;
  mutable Block scratch_;  // reused: allocating a large block takes longer than filling it
};

using OperatorPolynomial = BasicOperatorPolynomial<Matrix>;

}  // namespace stkr
