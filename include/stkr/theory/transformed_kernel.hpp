#pragma once

#include <optional>
#include <vector>

#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// Samples of a gram: known ones by their indices, then new ones.
struct KernelSamples {
  std::vector<Index> known{};
  std::optional<NewSamples> fresh{};
  // K°(x, x') among the new samples, for grams whose new samples do not determine it
  // (PlacedSamples::among): those given by kernel rows.
  std::optional<Matrix> among{};

  Index count() const { return static_cast<Index>(known.size()) + (fresh ? fresh->count() : 0); }
};

struct TransformedKernelOptions {
  double tolerance = 1e-10;  // of inner solves, and of approximations of s
  int max_iterations = 2000;
  Index dense_below = 3000;  // up to so many samples, rough transforms use all eigenvectors
};

struct TransformedKernel {
  Matrix values{};     // K̂_s(x, x')
  double error = 0.0;  // sup-norm error of s if it is approximated, 0 if it is exact
  bool converged = true;
};

// K̂_s(x, x') between all samples (eqn:hatks-def), symmetric. With δ = GramOperator::self_term(),
// s(λ) = s(δ) + (λ - δ) q(λ), q(λ) = q(δ) + (λ - δ) h(λ) and v(x) = K°(x, ·) over the N samples:
//   known, known  N [s(S)]_ij
//   new, known    v(x) q(S) e_i
//   new, new      [x is x'] N s(δ) + q(δ) K°(x, x') + v(x) h(S) v(x')ᵀ/N
// A known sample presented again as new, with the edges of a known one, therefore has the kernel
// values of the known one, except where the two meet each other: they are different samples, which
// share no self term, and in a graph no edge. A point of a neighbor graph that equals known points
// is no new sample: it has the mean of their values (Twins). With sample weights p,
// K̂_s = P^-½ s(S_p) P^-½.
//
// Cost: products with S of a block with one column per sample. Throws ValueError if K° among new
// samples is needed and not known, ShapeError if `among` has another shape, ParameterError for the
// Poisson transform with new samples.
TransformedKernel transformed_kernel(const GramOperator& gram, const SpectralTransform& transform,
                                     const KernelSamples& samples,
                                     const TransformedKernelOptions& options = {},
                                     const Context& context = {});

// K̂^p for real p > 0. Below 1 (the relaxation of Theorem 1), s(λ) = λ^p has no slope at 0, and
// K̂^p(x, x') = Σ_i λ_i^p ψ̂_i(x) ψ̂_i(x') over the eigenvalues λ_i > 1e-12 λ₁: for new samples, the
// part of K that no sample spans is left out, whose slope would be infinite. By all eigenvectors:
// throws ValueError for more than options.dense_below samples, and if K has a negative eigenvalue.
TransformedKernel transformed_kernel(const GramOperator& gram, double p,
                                     const KernelSamples& samples,
                                     const TransformedKernelOptions& options = {},
                                     const Context& context = {});

// K̂_s between two sets. New samples of different sets are different samples. `among` of the
// sets must be empty: the kernel between the new samples of both would be missing.
TransformedKernel transformed_kernel(const GramOperator& gram, const SpectralTransform& transform,
                                     const KernelSamples& rows, const KernelSamples& columns,
                                     const TransformedKernelOptions& options = {},
                                     const Context& context = {});

// The kernel metric d(x, x') = √(K(x,x) + K(x',x') - 2K(x,x')) of a symmetric kernel matrix. Throws
// ValueError if K is not positive semidefinite on a pair.
Matrix kernel_distances(const Matrix& kernel);

// d_{K̂^p} between all samples for real p > 0: the diffusion distance at scale p (Section 2.1).
Matrix diffusion_distances(const GramOperator& gram, double p, const KernelSamples& samples,
                           const TransformedKernelOptions& options = {},
                           const Context& context = {});

// Both, one below the other. Throws ValueError if they are of different forms.
NewSamples joined(const NewSamples& first, const NewSamples& second);

}  // namespace stkr
