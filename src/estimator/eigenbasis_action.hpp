#pragma once

#include "solver/symmetric_eigen.hpp"
#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// The action of a transform that is too rough for polynomials: few samples are diagonalized, and s
// is exact.
class EigenbasisAction {
 public:
  EigenbasisAction(const LinearOperator& s, const Context& context);

  // q(S) b with s(λ) = s(δ) + (λ - δ) q(λ); δ = 0: g(S) b
  Matrix apply(const SpectralTransform& s, ConstMatrixRef b, double delta) const;

 private:
  SymmetricEigen eigen_;
};

}  // namespace stkr
