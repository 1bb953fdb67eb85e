#pragma once

#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "theory/kernel_between.hpp"

namespace stkr {

// s(λ) = λ^p for 0 < p < 1 by all eigenvectors of S, with its quotients q and h
// (theory/second_quotient). Eigenvalues up to 1e-12 λ₁ count as 0; without a self term, q and h are
// 0 there, where λ^(p-1) and λ^(p-2) have no value.
class FractionalPower {
 public:
  // Throws ValueError for more than `most` samples and if S has a negative eigenvalue.
  FractionalPower(const GramOperator& gram, double p, Index most, const Context& context);

  KnownColumns known(const Matrix& b) const;
  SecondQuotient fresh(const Matrix& b) const;

 private:
  Matrix applied(const Vector& values, const Matrix& b) const;

  double p_, delta_;
  Vector eigenvalues_;
  Matrix vectors_;
};

}  // namespace stkr
