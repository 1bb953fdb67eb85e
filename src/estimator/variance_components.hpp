#pragma once

#include <span>
#include <vector>

#include "stkr/matrix.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

struct VarianceOptions {
  // Gaussian processes that Y consists of; 0: one per column. One-hot rows of C classes, less their
  // mean, are C - 1.
  Index outputs = 0;
  // A constant of every output is free: the likelihood is that of what is orthogonal to it (REML).
  // Otherwise Y is taken to have mean 0.
  bool free_mean = true;
  // A_0: a covariance that is plausible without labels, up to a factor, and how many outputs its
  // opinion counts for (ν); 0: none.
  const Matrix* prior = nullptr;
  double prior_outputs = 0.0;
  double least_noise = 1e-6;  // a_0, as a share of all variance; keeps A positive definite
  double tolerance = 1e-3;    // on the gradient: see VarianceComponents::converged
  int max_iterations = 500;
  Vector start{};  // shares of the G_k to start from, > 0; empty: equal ones
  double start_noise = 0.3;
};

// Gaussian processes with covariance A = Σ_k a_k G_k + a_0 I, shared by all outputs.
struct VarianceComponents {
  Vector weights;               // a_1, ..., a_K ≥ 0
  double noise = 0.0;           // a_0
  Vector shares;                // of each a_k G_k in the variance without noise
  double noise_share = 0.0;     // of a_0 in all variance
  double log_evidence = 0.0;    // L of the labels, without the prior
  std::vector<double> history;  // the objective after each step; never decreases
  int iterations = 0;
  // Whether the gradient vanished: for every k, share · |ratio - 1| is below the tolerance, where
  // the ratio is that of the update, and no component without weight would raise L.
  bool converged = false;
};

// The a ≥ 0 that maximizes the marginal likelihood
//   L(a) = -½ Σ_c y_cᵀA⁻¹y_c - C/2 log det 2πA
// of C outputs, less ν times the divergence KL(N(0, A_0) | N(0, A)) if there is a prior: few labels
// say little about a, and then A stays near A_0. By the multiplicative updates
//   a_k ← a_k (tr(A⁻¹QA⁻¹G_k)/(D tr(A⁻¹G_k)))^e,   Q = YYᵀ + νA_0,   D = C + ν,
// which keep a ≥ 0, and for e = ½ the objective never decreases; larger e are tried, and kept as
// long as it rises. The G_k are n × n and positive semidefinite; one that vanishes gets weight 0.
// The result depends on neither the scale of any G_k nor that of Y. Throws ValueError if A is not
// positive definite.
VarianceComponents learn_variances(std::span<const Matrix> blocks, ConstMatrixRef y,
                                   const VarianceOptions& options = {},
                                   const Context& context = {});

}  // namespace stkr
