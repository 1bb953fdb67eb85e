#pragma once

#include <span>
#include <vector>

#include "solver/richardson.hpp"
#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// The paper's STKR-Prop, as printed: Richardson iteration on two different systems. It serves as
// the reference; conjugate gradients and the explicit system give the same result faster.

struct PropagationProblem {
  const LinearOperator& s;         // S = G_K/(n+m)
  std::span<const Index> labeled;  // n samples
  ConstMatrixRef y;                // n × C
  double beta;                     // β_n
};

struct PropagationOptions : SolverOptions {
  double step_size = 0.0;  // γ; 0: derived from a bound on the spectrum
};

struct Propagation {
  Matrix alpha;         // α̂: n × C
  Matrix coefficients;  // c: N × C
  double step_size;     // the γ used
  SolveSummary summary;
};

// Algorithm 1 (alg:richardson), for s(λ) = Σ π_p λ^p: iterates α̂ ∈ R^n.
Propagation propagate_polynomial(const PropagationProblem& problem, const std::vector<double>& pi,
                                 const PropagationOptions& options, const Context& context = {});

// Algorithm 2 (alg:richardson-inverse), for 1/s(λ) = Σ ξ_p λ^(p-r): iterates θ ∈ R^(n+m).
// `spectrum` contains the spectrum of S.
Propagation propagate_reciprocal(const PropagationProblem& problem,
                                 const ReciprocalTransform& reciprocal,
                                 const SpectrumBounds& spectrum, const PropagationOptions& options,
                                 const Context& context = {});

}  // namespace stkr
