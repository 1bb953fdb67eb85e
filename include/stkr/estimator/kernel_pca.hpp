#pragma once

#include "stkr/estimator/execution.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/estimator/ridge_unit.hpp"

namespace stkr {

struct KernelPcaOptions {
  Index dimension = 32;          // d
  double ridge = kDefaultRidge;  // of the linear probe, as in StkrOptions, with the next four
  std::optional<double> beta{};
  bool choose_ridge = false;
  bool constant = false;
  Vector label_weights{};
  bool fewer_if_not_positive = false;  // take as many as there are, instead of failing
  bool all_samples = false;            // also the labeled ones: where all of them are, say
  bool literal_top_d = false;          // as in StkrOptions
  bool keep_embedding = false;         // ψ̂ beside the fit
  double tolerance = 1e-9;
  Execution execution{};
  std::uint64_t seed = 1;
  int threads = 0;
  SolveControl control{};
};

// ψ̂_i(x) = Σ_j v_i[j] K(x_{n+j}, x) over the m unlabeled samples (eqn:topd-psi-def), where
// G_{K,m} v_i = m λ̃_i v_i and ⟨v_i, v_j⟩ = δ_ij/(m λ̃_i): eigenvalues by algebraic value, positive
// ones only. Unless `literal_top_d` is asked for, of a graph only the components that a label
// reaches; d is extended to the end of a set of equal eigenvalues (estimator/leading_space).
struct KernelPca {
  std::vector<Index> unlabeled;  // the m samples, in order (with `all_samples`, all)
  double mass = 0.0;             // m, or N times the weight of these samples
  Vector eigenvalues;            // λ̃_1 ≥ ... ≥ λ̃_d > 0
  Matrix vectors;                // v: m × d
  // At a sample that is none of these, K lacks its self term: ψ̂_i(x) is larger by this factor.
  Vector fresh_factors;
  Index positive = 0;  // positive eigenvalues met
  std::vector<std::string> warnings;
  SolveSummary summary;
};

// d where none is given: three functions per class, as many as half the labels can tell the weights
// of for numbers, and never more than an eighth of the samples it is learned from. More of them
// than labels fit anything (measured in docs/points.md).
Index default_dimension(Index unlabeled, Index labels, Index outputs, bool numbers);

// Throws ValueError where d exceeds the number of positive eigenvalues, or there is no unlabeled
// sample.
KernelPca kernel_pca(const GramOperator& gram, std::span<const Index> labeled,
                     const KernelPcaOptions& options = {});

// Kernel PCA on the unlabeled samples, then ridge regression on ψ̂ with the labeled ones
// (eqn:topd-krr-def). c = Σ_i w_i v_i (times the factors) on the unlabeled samples, 0 on the
// labeled.
Fit fit_kernel_pca(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                   const KernelPcaOptions& options = {});

}  // namespace stkr
