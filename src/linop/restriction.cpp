#include "linop/restriction.hpp"

#include <fmt/format.h>

#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {

Restriction::Restriction(const LinearOperator& op, std::vector<Index> samples, double scale)
    : op_(op), samples_(std::move(samples)), scale_(scale) {
  for (const Index i : samples_) {
    if (i < 0 || i >= op.size()) {
      throw ValueError(fmt::format("Restriction: sample {} is out of range; expected 0 to {}", i,
                                   op.size() - 1));
    }
  }
}

void Restriction::apply(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "Restriction::apply");
  y = scale_ * gather_rows(product(op_, scatter_rows(x, samples_, op_.size())), samples_);
}

}  // namespace stkr
