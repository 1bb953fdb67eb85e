#pragma once

#include "stkr/estimator/fit.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

struct LabelPropagationOptions {
  double eta = 0.9;    // η in (0, 1/λ₁)
  int iterations = 0;  // T steps Ŷ ← ηSŶ + Ỹ; 0: solved to convergence
  double tolerance = 1e-8;
  int max_iterations = 1000;
  Execution execution{};
};

// Label propagation (Zhou et al. 2003), the paper's transductive baseline: (I - ηS) Ŷ = Ỹ.
// `fitted` is Ŷ. A new sample gets the value of an unlabeled one with the same edges: f(x) = Σ_i
// K(x, x_i) c_i with c = ηŶ/(N(1 - ηδ)), where δ is the kernel's self term; after T steps c =
// Z_T/N, where Z_{t+1} = η(Ŷ_t + δ Z_t). Throws Cancelled if cancellation is requested.
Fit fit_label_propagation(const GramOperator& gram, std::span<const Index> labeled,
                          ConstMatrixRef y, const LabelPropagationOptions& options = {},
                          const Context& context = {});

}  // namespace stkr
