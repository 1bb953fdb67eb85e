#pragma once

#include "stkr/estimator/execution.hpp"
#include "stkr/estimator/fit.hpp"

namespace stkr {

struct KernelPcaOptions {
  Index dimension = 32;                // d
  double beta = 1e-2;                  // ridge β_n of the linear probe
  bool fewer_if_not_positive = false;  // take as many as there are, instead of failing
  bool all_samples = false;            // also the labelled ones: where all of them are, say
  bool keep_embedding = false;         // ψ̂ beside the fit
  double tolerance = 1e-9;
  Execution execution{};
  std::uint64_t seed = 1;
  int threads = 0;
  SolveControl control{};
};

// ψ̂_i(x) = Σ_j v_i[j] K(x_{n+j}, x) over the m unlabelled samples (eqn:topd-psi-def), where
// G_{K,m} v_i = m λ̃_i v_i and ⟨v_i, v_j⟩ = δ_ij/(m λ̃_i): eigenvalues by algebraic value, positive
// ones only.
struct KernelPca {
  std::vector<Index> unlabeled;  // the m samples, in order (with `all_samples`, all)
  Vector eigenvalues;            // λ̃_1 ≥ ... ≥ λ̃_d > 0
  Matrix vectors;                // v: m × d
  SolveSummary summary;
};

// Throws ValueError where d exceeds the number of positive eigenvalues, or there is no unlabelled
// sample.
KernelPca kernel_pca(const GramOperator& gram, std::span<const Index> labeled,
                     const KernelPcaOptions& options = {});

// Kernel PCA on the unlabelled samples, then ridge regression on ψ̂ with the labelled ones
// (eqn:topd-krr-def). c = Σ_i w_i v_i on the unlabelled samples, 0 on the labelled.
Fit fit_kernel_pca(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                   const KernelPcaOptions& options = {});

}  // namespace stkr
