#pragma once

#include <cmath>

#include "linop/chebyshev_recurrence.hpp"
#include "linop/device_operator.hpp"
#include "transform/chebyshev.hpp"

namespace stkr {

template <class Block>
void apply_chebyshev(const BasicLinearOperator<Block>& a, const ChebyshevSeries& g,
                     ConstBlockView<Block> x, BlockView<Block> y, int threads) {
  check_apply_shapes<Block>(a, x, y, "apply_chebyshev");
  if constexpr (std::same_as<Block, Matrix>) {
    if (const auto device = a.on_device()) return device->apply_chebyshev(g, x, y, threads);
  }
  // Trailing coefficients at rounding level cost a product each and contribute nothing.
  double total = 0.0;
  for (const double c : g.coefficients) total += std::abs(c);
  std::size_t used = g.coefficients.size();
  while (used > 1 && std::abs(g.coefficients[used - 1]) < 1e-17 * total) --used;

  axpby(used > 0 ? g.coefficients[0] : 0.0, x, 0.0, y, threads);
  if (used < 2) return;
  ChebyshevRecurrence<Block> terms(a, {g.lower, g.upper}, copy_of<Block>(x, threads), threads);
  for (std::size_t k = 1; k < used; ++k) {
    terms.advance();
    axpby(g.coefficients[k], terms.current(), 1.0, y, threads);
  }
}

}  // namespace stkr
