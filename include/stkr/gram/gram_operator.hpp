#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "stkr/gram/cross_kernel.hpp"
#include "stkr/linop/known_eigenspace.hpp"
#include "stkr/linop/linear_operator.hpp"
#include "stkr/linop/spectrum_bounds.hpp"

namespace stkr {

// S = G_K / N over the N = n + m samples, plus what fitting and prediction need besides products.
class GramOperator : public LinearOperator {
 public:
  // K(x_i, x_j) for i in rows and j in columns. This is G_K, not S: no division by N.
  virtual Matrix block(std::span<const Index> rows, std::span<const Index> columns) const = 0;

  // G_{K,n+m,n} of the paper's Algorithms 1 and 3: all rows, some columns.
  Matrix columns(std::span<const Index> samples) const;

  // A product costs far less than the N² operations of an explicit matrix.
  virtual bool sparse() const { return false; }

  // What is known of the spectrum of S without computing anything.
  virtual SpectrumBounds bounds() const { return {}; }

  // Every K(x, x') ≥ 0 is certain: degrees make sense, and Perron's theorem bounds the spectrum.
  virtual bool nonnegative() const { return false; }

  // δ in S = δI + S°, where S° is what a sample shares with others and δ what only it has, such as
  // the half of a lazy walk that stays where it is. A new sample's kernel row lacks it: with
  // s(λ) = s(δ) + (λ - δ) q(λ) an unlabeled sample has f_i = N Σ_j S°_ij [q(S) E α]_j, and so has a
  // new sample with the same edges.
  virtual double self_term() const { return 0.0; }

  // √(N p_i) where samples carry weights p_i (gram/weighted_gram), null where all count alike.
  virtual const Vector* root_weights() const { return nullptr; }

  // Where K ≥ 0: the samples that `from` reaches in exactly `steps` steps along K > 0, or in any
  // number from 1 on where steps = 0. Entries are 0 or 1.
  virtual std::vector<char> reached(const std::vector<char>& from, int steps) const;

  // The sample of `among` nearest to each of `samples`: see PlacedSamples::nearest.
  virtual std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                                    std::span<const Index> among) const;

  // scale · Eᵀ S E over some samples, given in ascending order, each once: kernel PCA's operator.
  // This gram must outlive it.
  virtual std::unique_ptr<LinearOperator> restricted(std::vector<Index> samples,
                                                     double scale) const;

  // Eigenvectors of S known in closed form, or null. Lives as long as this gram.
  virtual const KnownEigenspace* known_eigenspace() const { return nullptr; }

  // The groups of known_eigenspace() are the connected components of the samples; a sample without
  // a group is connected to none.
  virtual bool knows_components() const { return false; }

  // Ends this gram and keeps only what places new samples (points move, they are not copied).
  virtual std::unique_ptr<CrossKernel> into_cross_kernel() && = 0;
};

// Throws ValueError where an index is no sample of `gram`. `who` starts the message.
void check_block_indices(const GramOperator& gram, std::span<const Index> rows,
                         std::span<const Index> columns, const char* who);

}  // namespace stkr
