#pragma once

#include "transform/operator_polynomial.hpp"

namespace stkr {

template <class Block>
void apply_polynomial(const BasicLinearOperator<Block>& a, const std::vector<double>& coefficients,
                      ConstBlockView<Block> x, BlockView<Block> y, Block* scratch, int threads) {
  check_apply_shapes<Block>(a, x, y, "apply_polynomial");
  if constexpr (std::same_as<Block, Matrix>) {
    if (const auto device = a.on_device()) {
      return device->apply_polynomial(coefficients, x, y, threads);
    }
  }
  if (coefficients.empty()) {
    set_zero(y, threads);
    return;
  }
  axpby(coefficients.back(), x, 0.0, y, threads);
  if (coefficients.size() == 1) return;
  Block own;
  Block& next = scratch ? *scratch : own;
  if (next.rows() != x.rows() || next.cols() != x.cols()) next = block_like(x, x.cols());
  for (std::size_t k = coefficients.size() - 1; k-- > 0;) {
    a.apply(y, next);
    if (coefficients[k] == 0.0) {
      copy_block(next, y, threads);
    } else {
      recurrence_step(1.0, next, coefficients[k], x, 0.0, y, threads);
    }
  }
}

}  // namespace stkr
