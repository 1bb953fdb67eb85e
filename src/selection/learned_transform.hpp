#pragma once

#include <string>
#include <vector>

#include "stkr/dataset/labels.hpp"
#include "stkr/estimator/decision.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/specification/specification.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

struct LearnOptions {
  std::vector<SpectralTransform> dictionary{};  // s_k; empty: default_dictionary(λ₁)
  double drop_below = 1e-3;                     // terms with less of the variance of f are left out
  double tolerance = 1e-9;                      // of the kernels K̂_{s_k}
  int max_iterations = 500;
  // So many labels decide as much as the default transform (inverse Laplacian, η = 0.99/λ₁, ridge
  // 0.1), to which s tends if labels are few; 0: only labels decide.
  double prior_labels = 100.0;
  Index most_labels = 300;  // with more labels, a random sample of so many decides
  std::size_t block_bytes = std::size_t{1} << 30;  // for one N × n block; beyond that, batches
};

// s = Σ_k a_k s_k with the a_k ≥ 0 and the ridge under which the labels are most likely.
struct LearnedTransform {
  SpectralTransform transform = SpectralTransform::inverse_laplacian(0.99);  // Σ a_k = 1
  double ridge = 0.0;               // ρ: nβ in units of the mean diagonal of G_{K̂_s,n}
  std::vector<double> shares{};     // of the terms of `transform`, in the variance of f
  double slope = 0.0;               // M of Theorem 1
  double largest_eigenvalue = 1.0;  // λ₁
  double log_evidence = 0.0;        // comparable between kernels for the same labels
  int iterations = 0;
  bool converged = false;
  long products = 0;  // block products with S
  std::vector<std::string> warnings{};
};

// Powers, inverse Laplacians and smooth steps, with parameters in units of λ₁.
std::vector<SpectralTransform> default_dictionary(double largest_eigenvalue);

// Theorem 1's conditions hold for sums with positive weights of transforms for which they hold, so
// every result is valid, with M ≤ Σ a_k M_k. The labels are C outputs (one-hot for classes) of
// Gaussian processes with covariance Σ a_k K̂_{s_k} + a_0 I and a free mean; a maximizes their
// marginal likelihood (estimator/variance_components), with the default transform as a prior for
// few labels. No label is held out. Members of the
// dictionary with s < 0 somewhere on the spectrum (a graph kernel that is not a lazy walk) are left
// out with a warning. Deterministic for a given seed. Throws ValueError if none is left.
LearnedTransform learn_transform(const GramOperator& gram, const EncodedTargets& targets,
                                 const LearnOptions& options = {}, const Context& context = {});
LearnedTransform learn_transform(const GramOperator& gram, const Labels& labels,
                                 const LearnOptions& options = {}, const Context& context = {});

// `spec` with the learned transform and, unless it has a ridge of its own, the learned ridge.
// Throws ValueError if its method is not STKR.
Specification with_learned_transform(Specification spec, const LearnedTransform& learned);

}  // namespace stkr
