#pragma once

#include "linop/chebyshev_recurrence.hpp"
#include "solver/chebyshev_filter.hpp"

namespace stkr {

template <class Block>
void ChebyshevFilter::apply(const BasicLinearOperator<Block>& op, int degree, BlockView<Block> x,
                            int threads) const {
  // Contiguous copies: the rows of a panel of a wide block are far apart.
  ChebyshevRecurrence<Block> filtered(op, {lower, cut}, copy_of<Block>(x, threads), threads, top);
  for (int k = 1; k <= degree; ++k) filtered.advance();
  copy_block(filtered.current(), x, threads);
}

}  // namespace stkr
