#pragma once

#include <vector>

#include "stkr/linop/linear_operator.hpp"

namespace stkr {

// scale · Eᵀ A E: the operator restricted to some samples, such as kernel PCA's G_{K,m}/m = (N/m) ·
// Eᵀ S E over the unlabeled samples. `op` must outlive this object.
class Restriction : public LinearOperator {
 public:
  Restriction(const LinearOperator& op, std::vector<Index> samples, double scale);

  Index size() const override { return static_cast<Index>(samples_.size()); }
  void apply(ConstMatrixRef x, MatrixRef y) const override;

 private:
  const LinearOperator& op_;
  std::vector<Index> samples_;
  double scale_;
};

}  // namespace stkr
