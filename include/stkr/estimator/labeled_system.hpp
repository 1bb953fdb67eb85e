#pragma once

#include <vector>

#include "stkr/estimator/spectral_action.hpp"

namespace stkr {

// A = N·Eᵀ S g(S) E + nβ I = G_{K̂_s,n} + nβ_n I_n: the n × n system of STKR, known by its products.
// The gram and the action must outlive this.
class LabeledSystem : public LinearOperator {
 public:
  LabeledSystem(const GramOperator& gram, const SpectralAction& action, std::vector<Index> labeled,
                double beta);

  Index size() const override { return static_cast<Index>(labeled_.size()); }
  void apply(ConstMatrixRef alpha, MatrixRef u) const override;

 private:
  const GramOperator& gram_;
  const SpectralAction& action_;
  std::vector<Index> labeled_;
  double shift_;  // nβ_n
};

// G_{K̂_s,n} = N·Eᵀ s(S) E made explicit, as many columns at a time as make an N × n block of at
// most `block_bytes`. For polynomials this is the paper's Algorithm 3 (alg:naive - full).
Matrix transformed_gram(const GramOperator& gram, const SpectralAction& action,
                        std::span<const Index> labeled,
                        std::size_t block_bytes = std::size_t{1} << 27);

}  // namespace stkr
