#pragma once

#include <functional>
#include <memory>

#include "estimator/leading_space.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

struct ActionOptions;  // estimator/spectral_action

// The action of a truncation: a projection on the top d eigenvectors of the samples that labels
// reach.
class TruncationAction {
 public:
  // Throws ValueError if fewer than d eigenvalues are positive. The gram must outlive this.
  TruncationAction(const GramOperator& gram, Index d, const ActionOptions& options,
                   const Context& context);

  const LeadingSpace& space() const { return space_; }

  // Σ_k h(λ_k) v_k v_kᵀ b over the kept eigenvectors
  template <class Function>
  Matrix on_leading(ConstMatrixRef b, Function&& h) const {
    Vector factors(space_.kept());
    for (Index k = 0; k < factors.size(); ++k) factors[k] = h(space_.values[k]);
    return scaled(b, factors);
  }

  // g(S) b
  Matrix known(ConstMatrixRef b) const;

  // q(S) b, with s(λ) = s(δ) + (λ - δ) q(λ). `solve` solves systems of a positive definite
  // operator; `products` is the gram, with its products counted.
  Matrix fresh(ConstMatrixRef b, double delta, const LinearOperator& products,
               const std::function<Matrix(const LinearOperator&, const Matrix&)>& solve) const;

 private:
  Matrix scaled(ConstMatrixRef b, const Vector& factors) const;

  int threads_;
  const SharedRows* rows_;  // of the gram
  LeadingSpace space_;
  std::shared_ptr<const Matrix> eigenvectors_;  // N × kept
};

}  // namespace stkr
