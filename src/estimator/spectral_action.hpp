#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "estimator/gram_spectrum.hpp"
#include "estimator/leading_space.hpp"
#include "estimator/resident_block.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// Of the solves inside a product, for an outer solver with these settings.
inline double inner_tolerance(double tolerance) { return std::max(0.01 * tolerance, 1e-14); }
inline int inner_iterations(int max_iterations) { return std::max(10 * max_iterations, 2000); }

struct ActionOptions {
  double tolerance = 1e-10;  // of the inner solves, and of the Chebyshev approximation
  int max_iterations = 2000;
  Index dense_below = 3000;  // reciprocal transforms of at most so many points are factorized
  // The samples (of this process) that supply the eigenvectors of a truncation; none given: all.
  std::optional<std::vector<Index>> truncation_samples{};
  TopD top_d = TopD::whole;
  // Poisson: the groups of GramOperator::known_eigenspace that keep their eigenvector.
  std::vector<char> kept_groups{};
  std::optional<GramSpectrum> spectrum{};  // of the gram, if it is there already
};

// A transform applied to a block B: g(S) B with s(λ) = λ·g(λ), whose product with N·S gives f at
// the known samples, and q(S) B with s(λ) = s(δ) + (λ - δ) q(λ), whose product with new samples'
// kernel rows gives f there (GramOperator::self_term; for δ = 0 they are the same).
struct TransformedPair {
  Matrix known;
  Matrix fresh;  // empty for δ = 0
};

// The same where the gram computes.
struct ResidentPair {
  ResidentBlock known;
  ResidentBlock fresh;
};

// B ↦ g(S) B with s(λ) = λ·g(λ): all that estimators need from a transform.
//   polynomial    Horner's rule
//   reciprocal    S^(r-1) Q⁻¹ by conjugate gradients with the known eigenvectors deflated; for few
//                 points by Cholesky
//   truncation    projection on the top d eigenvectors
//   poisson       conjugate gradients on the complement of the leading eigenvectors
//   sum           action_parts, one after the other
//   anything else Chebyshev; if that does not converge and samples are few, an eigendecomposition
// The gram must outlive this. Throws ValueError if the transform does not fit the spectrum (a pole
// inside it, d above the number of positive eigenvalues).
class SpectralAction : public LinearOperator {
 public:
  SpectralAction(const GramOperator& gram, SpectralTransform transform, ActionOptions options,
                 const Context& context = {});
  ~SpectralAction() override;

  Index size() const override;
  const SharedRows* shared_rows() const override;
  void apply(ConstMatrixRef b, MatrixRef out) const override;

  // For the coefficients of a fit. If K ≥ 0 and s is an inverse Laplacian, every row is accurate
  // relative to itself, however far from all labels (faint_rows.hpp).
  TransformedPair apply_pair(ConstMatrixRef b) const;

  // The same for blocks where the gram computes. `start`: where a solve for g(S) B starts, or null.
  ResidentPair apply_pair(const ResidentBlock& b, const ResidentBlock* start) const;
  ResidentBlock known(const ResidentBlock& b, const ResidentBlock* start = nullptr) const;
  // With inner solves only to `tolerance`, for estimates.
  ResidentBlock known_roughly(const ResidentBlock& b, double tolerance) const;

  // Throws Cancelled if cancellation is requested; apply() calls it.
  void check_cancelled() const;
  const ProgressSink& progress() const;  // of the context

  const GramSpectrum& spectrum() const;
  const SpectralTransform& transform() const;

  // Sup-norm error of s if it is approximated, 0 if it is exact.
  double approximation_error() const;
  // False if the error did not reach the tolerance: s is not smooth enough.
  bool approximation_converged() const;
  // The eigenvectors kept if s is a truncation, else null.
  const LeadingSpace* truncation() const;
  // Products with S so far, inner iterations included.
  long products() const;
  // The first inner solve that failed, else the longest one; its name is empty if there was none.
  const SolveSummary& inner() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> impl_;
};

}  // namespace stkr
