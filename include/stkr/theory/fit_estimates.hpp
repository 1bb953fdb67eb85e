#pragma once

#include <functional>
#include <span>
#include <vector>

#include "stkr/estimator/stkr.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/matrix.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/theory/rkhs_norm.hpp"

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

struct CrossFitOptions {
  Index parts = 4;   // B ≥ 2
  Vector weights{};  // p_i ≥ 0 of ‖·‖_P at the N samples; empty: 1/N each
};

// An estimate of ‖f̂ - f̃‖²_P, the error that thm:approx bounds, from the data alone: what averaging
// over samples instead of over P costs. Fits f̂_b that share the labels but no unlabeled sample
// differ by that error only; with f̄ their mean,
//   (1/(B(B-1))) Σ_b ‖f̂_b - f̄‖²_P
// is unbiased for the variance of f̄, to first order that of f̂ with all samples if n is small beside
// m/B. It leaves out what the fits have in common: the labeled samples, and the bias, which is of
// second order. `adjusted` counts the labeled samples, too, as draws from P: f̂ - f̃ is to first
// order a mean over all samples, of variance σ²/(n+m), of which `estimate` sees σ² m/(n + m/B)²/B².
struct CrossFit {
  double estimate = 0.0;
  double adjusted = 0.0;                    // estimate · (n + m/B)²B²/(m(n+m))
  double standard_error = 0.0;              // of `estimate`, from its B terms
  std::vector<double> terms{};              // ‖f̂_b - f̄‖²_P/(B-1), whose mean is `estimate`
  std::vector<std::vector<Index>> parts{};  // the unlabeled samples of each fit, ascending
  Matrix mean{};                            // f̄ at the N samples
};

// Fits with the samples in `chosen` (ascending: all labeled ones and one part) and returns f at all
// N samples, N × C. Each sample, chosen or not, is evaluated by its kernel row.
using PartFit = std::function<Matrix(std::span<const Index> chosen)>;

// Splits the unlabeled samples at random (context.seed) into parts of equal size, up to one, and
// calls `fit` for each. Throws ValueError for fewer than two parts or fewer unlabeled samples than
// parts, and ShapeError if fits return different shapes.
CrossFit cross_fit(Index samples, std::span<const Index> labeled, const PartFit& fit,
                   const CrossFitOptions& options = {}, const Context& context = {});

// The same for fit_stkr. Memory: one N_b × N_b block of K and one N × N_b block in batches, with
// N_b = n + m/B. The ridge must be `options.beta` or fixed: a ridge chosen in each part would add
// to the differences, so choose_ridge throws ValueError. So do samples with weights.
CrossFit cross_fit_stkr(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                        const StkrOptions& options, const CrossFitOptions& cross = {},
                        const Context& context = {});

}  // namespace stkr
