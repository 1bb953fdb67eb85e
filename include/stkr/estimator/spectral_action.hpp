#pragma once

#include <memory>

#include "stkr/estimator/leading_space.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/solver/summary.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// λ₁ and the ends of the spectrum of S, from what the gram knows; where that does not decide the
// question at hand, from Lanczos.
struct GramSpectrum {
  SpectrumBounds bounds;  // contains the spectrum
  double largest = 0.0;   // λ₁, or the best lower estimate of it
  double smallest = 0.0;
  bool estimated = false;  // by Lanczos
};
GramSpectrum known_spectrum(const GramOperator& gram);
GramSpectrum estimated_spectrum(const GramOperator& gram, std::uint64_t seed, int threads,
                                std::stop_token cancel = {});

// λ₁ of S, the unit of η: known for graphs and normalized kernels, else by Lanczos, to nine digits.
// Throws ValueError where it is not positive.
double largest_eigenvalue(const GramOperator& gram, std::uint64_t seed, int threads,
                          std::stop_token cancel = {});

struct ActionOptions {
  double tolerance = 1e-10;  // of the inner solves, and of the Chebyshev approximation
  int max_iterations = 2000;
  Index dense_below = 3000;  // reciprocal transforms of that few points are factorised
  // Where a truncation takes its eigenvectors from: all samples where it is empty.
  std::vector<Index> truncation_samples{};
  TopD top_d = TopD::whole;
  std::uint64_t seed = 1;
  int threads = 0;
  SolveControl control{};
};

// What a transform makes of a block B: g(S) B with s(λ) = λ·g(λ), whose product with N·S gives f at
// the known samples, and q(S) B with s(λ) = s(δ) + (λ - δ) q(λ), whose product with new samples'
// kernel rows gives f there (GramOperator::self_term; for δ = 0 they are the same).
struct TransformedPair {
  Matrix known;
  Matrix fresh;  // empty for δ = 0
};

// B ↦ g(S) B with s(λ) = λ·g(λ): the one thing every estimator needs of a transform.
//   polynomial    Horner's rule
//   reciprocal    S^(r-1) Q⁻¹ by conjugate gradients with the known eigenvectors deflated; for few
//                 points by Cholesky
//   truncation    projection on the top d eigenvectors
//   anything else Chebyshev; where that does not converge, for few samples an eigendecomposition
// The gram must outlive this. Throws ValueError where the transform does not fit the spectrum (a
// pole inside it, d above the number of positive eigenvalues).
class SpectralAction : public LinearOperator {
 public:
  SpectralAction(const GramOperator& gram, SpectralTransform transform, ActionOptions options);
  ~SpectralAction() override;

  Index size() const override;
  void apply(ConstMatrixRef b, MatrixRef out) const override;

  // For the coefficients of a fit. Where K ≥ 0 and s is an inverse Laplacian, every row is accurate
  // relative to itself, however far from all labels (faint_rows.hpp).
  TransformedPair apply_pair(ConstMatrixRef b) const;

  // As apply, with inner solves only to `tolerance`: for estimates.
  Matrix apply_roughly(ConstMatrixRef b, double tolerance) const;

  // Throws Cancelled where the caller asked to stop; apply() does so by itself.
  void check_cancelled() const;

  const GramSpectrum& spectrum() const;
  const SpectralTransform& transform() const;

  // Sup-norm error of s where it is approximated, 0 where it is exact.
  double approximation_error() const;
  // False where the error did not fall to the tolerance: s is not smooth enough.
  bool approximation_converged() const;
  // Where s is a truncation, the eigenvectors kept; else null.
  const LeadingSpace* truncation() const;
  // Products with S so far, inner iterations included.
  long products() const;
  // The inner solve that failed first, else the one that took longest; without a name where there
  // was none.
  const SolveSummary& inner() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> impl_;
};

}  // namespace stkr
