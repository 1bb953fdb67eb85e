#pragma once

#include <vector>

#include "stkr/linop/linear_operator.hpp"

namespace stkr {

// y = Σ_k coefficients[k] A^k x by Horner's rule: one product per degree, one block besides y,
// which is `scratch` if given.
void apply_polynomial(const LinearOperator& a, const std::vector<double>& coefficients,
                      ConstMatrixRef x, MatrixRef y, Matrix* scratch = nullptr);

// Σ_k coefficients[k] A^k as an operator: Q = Σ ξ_p S^p of the paper's Algorithm 2, or I - ηS. `a`
// must outlive this object.
class OperatorPolynomial : public LinearOperator {
 public:
  OperatorPolynomial(const LinearOperator& a, std::vector<double> coefficients)
      : a_(a), coefficients_(std::move(coefficients)) {}

  Index size() const override { return a_.size(); }
  void apply(ConstMatrixRef x, MatrixRef y) const override {
    apply_polynomial(a_, coefficients_, x, y, &scratch_);
  }

 private:
  const LinearOperator& a_;
  std::vector<double> coefficients_;
  mutable Matrix scratch_;  // reused: allocating a large block takes longer than filling it
};

}  // namespace stkr
