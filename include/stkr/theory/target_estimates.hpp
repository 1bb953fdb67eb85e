#pragma once

#include <span>
#include <vector>

#include "stkr/estimator/stkr.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/theory/quadratic_form.hpp"

namespace stkr {

// The constants of Assumptions 3 and 4 (ass:target, ass:moment), estimated from a fit f̂ and from
// residuals y_i - f̂(x_i) of labels that f̂ did not see. f* itself is not known, so bounds with these
// numbers are estimates, not guarantees:
//   - B and ε are those of f̂, which the ridge shrinks and smooths: both tend to be too small.
//   - σ² contains the error of f̂, not only the noise: it tends to be too large.
//   - |y - f*| ≤ L implies ass:moment, since r! ≥ 2: the residuals themselves satisfy it with these
//     σ and L. Further labels may have larger residuals, and ass:moment speaks of every x, not of
//     the mean over x.
struct TargetEstimate {
  double mean = 0.0;     // E f̂, which ass:target wants to be 0
  double scale_b = 0.0;  // B = ‖f̂‖_P
  double epsilon = 0.0;  // ε = ‖f̂‖²_{K_s}/‖f̂‖²_P; infinite if f̂ is not in H_{K_s}; 0 for f̂ = 0
  double sigma_squared = 0.0;  // σ²: the mean square of the residuals
  double moment_l = 0.0;       // L: the largest |residual|

  double sigma() const;
};

struct TargetEstimates {
  std::vector<TargetEstimate> outputs{};
  TargetEstimate worst{};  // the largest of each number; of `mean` the largest in absolute value
  Index residuals = 0;     // labels left out
};

// `values`: f̂ without its constant at the N samples, N × C; `residuals`: n × C. Throws ShapeError
// if their numbers of outputs differ or `values` has not one row per sample, ValueError if there
// are no residuals or one is not finite, and what rkhs_norm throws.
TargetEstimates target_estimates(const GramOperator& gram, const SpectralTransform& transform,
                                 const Matrix& values, const Matrix& residuals,
                                 const QuadraticFormOptions& options = {},
                                 const Context& context = {});

// The same of a fit by fit_stkr, with ‖f̂‖²_{K_s} = αᵀGα and every label left out once, from its
// n × n system. Throws ValueError with sample weights, and for fewer than two labels, and
// ParameterError for the Poisson transform.
TargetEstimates target_estimates_stkr(const GramOperator& gram, std::span<const Index> labeled,
                                      ConstMatrixRef y, const StkrOptions& options,
                                      const Context& context = {});

}  // namespace stkr
