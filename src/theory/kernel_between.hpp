#pragma once

#include <functional>

#include "stkr/theory/transformed_kernel.hpp"
#include "theory/second_quotient.hpp"

namespace stkr {

// s(S) B and q(S) B, with s(λ) = s(δ) + (λ - δ) q(λ).
struct KnownColumns {
  Matrix values{};
  Matrix fresh{};
  double error = 0.0;  // sup-norm error of s if it is approximated
  bool converged = true;
};

// What K̂_s between samples needs of s.
struct KernelAction {
  std::function<KnownColumns(const Matrix& b)> known;
  std::function<SecondQuotient(const Matrix& b)> fresh;  // h(S) B
};

// K̂_s between all samples, as transformed_kernel describes it.
TransformedKernel kernel_between(const GramOperator& gram, const KernelSamples& samples,
                                 const KernelAction& action);

}  // namespace stkr
