#pragma once

#include "stkr/estimator/fit.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

struct KernelPcaOptions {
  Index dimension = 32;          // d
  double ridge = kDefaultRidge;  // of the linear probe; this and the next four as in StkrOptions
  std::optional<double> beta{};
  bool choose_ridge = false;
  bool constant = false;
  Vector label_weights{};
  bool fewer_if_not_positive = false;  // use fewer dimensions instead of failing
  bool all_samples = false;            // include the labeled ones, e.g. if all are labeled
  bool literal_top_d = false;          // as in StkrOptions
  bool keep_embedding = false;         // return ψ̂ with the fit
  double tolerance = 1e-9;
  Execution execution{};
};

// ψ̂_i(x) = Σ_j v_i[j] K(x_{n+j}, x) over the m unlabeled samples (eqn:topd-psi-def), where G_{K,m}
// v_i = m λ̃_i v_i and ⟨v_i, v_j⟩ = δ_ij/(m λ̃_i): eigenvalues by algebraic value, positive ones
// only. Unless `literal_top_d` is set, only components of a graph that a label reaches are used,
// and d is extended to the end of a set of equal eigenvalues (estimator/leading_space).
struct KernelPca {
  std::vector<Index> unlabeled;  // the m samples, in order (all with `all_samples`): rows here
  Index samples = 0;             // m, of all processes
  double mass = 0.0;             // m, or N times the weight of these samples
  Vector eigenvalues;            // λ̃_1 ≥ ... ≥ λ̃_d > 0
  Matrix vectors;                // v: m × d
  // At samples outside this set, K lacks its self term: ψ̂_i(x) is larger by this factor.
  Vector fresh_factors;
  Index positive = 0;  // positive eigenvalues found
  std::vector<std::string> warnings;
  SolveSummary summary;
};

// The default d: half the number of labels, for classes at most three per class; never more than an
// eighth of the samples that it is computed from, nor 128. More functions than labels fit anything
// (measured in docs/points.md).
Index default_dimension(Index unlabeled, Index labels, Index outputs, bool numbers);

// Throws ValueError if d exceeds the number of positive eigenvalues, or if no sample is unlabeled.
KernelPca kernel_pca(const GramOperator& gram, std::span<const Index> labeled,
                     const KernelPcaOptions& options = {}, const Context& context = {});

// Kernel PCA on the unlabeled samples, then ridge regression on ψ̂ with the labeled ones
// (eqn:topd-krr-def). c = Σ_i w_i v_i (times the factors) on the unlabeled samples, 0 on the
// labeled.
Fit fit_kernel_pca(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                   const KernelPcaOptions& options = {}, const Context& context = {});

}  // namespace stkr
