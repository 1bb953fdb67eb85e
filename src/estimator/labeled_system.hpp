#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "estimator/spectral_action.hpp"
#include "linop/saved_state.hpp"

namespace stkr {

// A = N·Eᵀ S g(S) E + nβ I = G_{K̂_s,n} + nβ_n I_n: the n × n system of STKR, given by its products.
// For s(λ) = π₁λ, kernel ridge, a product costs only the pairs of labeled samples. The gram and the
// action must outlive this. With label weights v, the same system for α/√v and √v Y: rows and
// columns of G times √v.
class LabeledSystem : public LinearOperator {
 public:
  LabeledSystem(const GramOperator& gram, const SpectralAction& action, std::vector<Index> labeled,
                double beta, const Vector& label_weights = {});

  Index size() const override { return static_cast<Index>(labeled_.size()); }
  void apply(ConstMatrixRef alpha, MatrixRef u) const override;
  // For polynomials of a gram that has rough products.
  void apply_roughly(ConstMatrixRef alpha, MatrixRef u) const override;
  RoughProducts rough() const override;

 private:
  enum class Precision { full, rough };

  void apply_in(Precision precision, ConstMatrixRef alpha, MatrixRef u) const;
  // Without nβ and v.
  void apply_kernel(Precision precision, ConstMatrixRef alpha, MatrixRef u) const;

  const GramOperator& gram_;
  const SpectralAction& action_;
  std::vector<Index> labeled_;
  double shift_;  // nβ_n
  Vector root_;   // √v; empty: 1 each
  // π₁ G_{K,n} if s(λ) = π₁λ, on the labeled samples in the order of `ascending_`.
  std::unique_ptr<LinearOperator> own_;
  std::vector<Index> ascending_;
  std::optional<std::vector<double>> polynomial_;  // of s, from the constant term 0 on
};

// Computes G_{K̂_s,n} = N·Eᵀ s(S) E explicitly, with as many columns at a time as an N × n block of
// at most `block_bytes` holds. For polynomials this is the paper's Algorithm 3 (alg:naive - full).
Matrix transformed_gram(const GramOperator& gram, const SpectralAction& action,
                        std::span<const Index> labeled,
                        std::size_t block_bytes = std::size_t{1} << 27,
                        SavedState* saved = nullptr);

}  // namespace stkr
