#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "stkr/gram/cross_kernel.hpp"
#include "stkr/linop/known_eigenspace.hpp"
#include "stkr/linop/linear_operator.hpp"

namespace stkr {

// S = G_K / N over the N = n + m samples, plus what fitting and prediction need beyond products.
//
// One of your own defines four functions; the others have defaults, and knowing more makes fits
// faster. fit_stkr and all other fits take it:
//
//   class MyGram : public stkr::GramOperator {
//    public:
//     stkr::Index size() const override;                                           // N
//     void apply(stkr::ConstMatrixRef x, stkr::MatrixRef y) const override;        // y = G_K x / N
//     stkr::Matrix block(std::span<const stkr::Index> rows,
//                        std::span<const stkr::Index> columns) const override;     // of G_K
//     std::unique_ptr<stkr::CrossKernel> cross_kernel() const override;            // new samples
//   };
//   stkr::Fit fit = stkr::fit_stkr(gram, labeled, y);
//   const stkr::Model model(gram.cross_kernel(), std::move(fit), decision, {});
//
// examples/own_gram.cpp is a complete program.
//
// If several processes share the samples (shared_rows()), numbers of labels, of rows and columns of
// block() and of columns() are those of all samples; vectors with an entry per sample, and lists
// that may name most samples (reached, nearest, restricted), are those of this process's rows.
class GramOperator : public LinearOperator {
 public:
  // K(x_i, x_j) for i in rows and j in columns. This is G_K, not S: no division by N.
  virtual Matrix block(std::span<const Index> rows, std::span<const Index> columns) const = 0;

  // G_{K,n+m,n} of the paper's Algorithms 1 and 3: all rows (of this process), some columns.
  virtual Matrix columns(std::span<const Index> samples) const;

  // Whether a product costs far less than the N² operations of an explicit matrix.
  virtual bool sparse() const { return false; }

  // Bounds on the spectrum of S that are known without computation.
  virtual SpectrumBounds bounds() const { return {}; }

  // Whether every K(x, x') ≥ 0 is certain: degrees then make sense, and Perron's theorem bounds the
  // spectrum.
  virtual bool nonnegative() const { return false; }

  // ‖S e_i‖² for some samples, or none if that takes more than their own rows.
  virtual std::optional<Vector> squared_row_norms(std::span<const Index> samples) const;

  // δ in S = δI + S°, where S° is shared with other samples and δ belongs to each sample alone,
  // such as the half of a lazy walk that does not move. A new sample's kernel row lacks δ: with
  // s(λ) = s(δ) + (λ - δ) q(λ), an unlabeled sample has f_i = N Σ_j S°_ij [q(S) E α]_j, and so does
  // a new sample with the same edges.
  virtual double self_term() const { return 0.0; }

  // √(N p_i) if samples carry weights p_i (gram/weighted_gram), null if all count equally.
  virtual const Vector* root_weights() const { return nullptr; }

  // Requires K ≥ 0. The samples reached from `from` in exactly `steps` steps along K > 0, or in one
  // or more steps if steps = 0. Entries are 0 or 1.
  virtual std::vector<char> reached(const std::vector<char>& from, int steps) const;

  // The sample of `among` nearest to each of `samples`: see PlacedSamples::nearest.
  virtual std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                                    std::span<const Index> among) const;

  // scale · Eᵀ S E over some samples, in strictly ascending order: kernel PCA's operator. This gram
  // must outlive the result.
  virtual std::unique_ptr<LinearOperator> restricted(std::vector<Index> samples,
                                                     double scale) const;

  // Eigenvectors of S known in closed form, or null. Valid as long as this gram.
  virtual const KnownEigenspace* known_eigenspace() const { return nullptr; }

  // Whether the groups of known_eigenspace() are the connected components of the samples; a sample
  // without a group is connected to none.
  virtual bool knows_components() const { return false; }

  // The rule that places new samples. It shares points and neighbor indexes with this gram, and may
  // outlive it.
  virtual std::unique_ptr<CrossKernel> cross_kernel() const = 0;
};

// Throws ValueError if an index is not a sample of `gram`. `who` starts the message.
void check_block_indices(const GramOperator& gram, std::span<const Index> rows,
                         std::span<const Index> columns, const char* who);

}  // namespace stkr
