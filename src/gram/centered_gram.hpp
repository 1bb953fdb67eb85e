#pragma once

#include <memory>

#include "gram/decorated_cross_kernel.hpp"
#include "stkr/gram/gram_operator.hpp"

namespace stkr {

// Centers any gram as in the paper's assumption (ii), with the N samples as the distribution:
//   K̃(x, x') = K(x, x') - mean_j K(x, x_j) - mean_j K(x_j, x') + mean_jl K(x_j, x_l)
// so that constants are orthogonal to everything: S̃ = P S P with P = I - 11ᵀ/N, S̃ 1 = 0.
class CenteredGram final : public GramOperator {
 public:
  // Costs one product with `gram`.
  explicit CenteredGram(std::unique_ptr<GramOperator> gram);

  Index size() const override { return gram_->size(); }
  void apply(ConstMatrixRef x, MatrixRef y) const override;
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override;
  bool sparse() const override { return gram_->sparse(); }
  double self_term() const override { return gram_->self_term(); }
  std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                            std::span<const Index> among) const override {
    return gram_->nearest(samples, among);
  }
  SpectrumBounds bounds() const override;
  // The constant vector, for λ = 0.
  const KnownEigenspace* known_eigenspace() const override { return &constant_; }
  std::unique_ptr<CrossKernel> cross_kernel() const override;

 private:
  std::unique_ptr<GramOperator> gram_;
  Vector mean_;        // mean_j K(x_i, x_j)
  double grand_mean_;  // mean_jl K(x_j, x_l)
  KnownEigenspace constant_;
};

class CenteredCrossKernel final : public DecoratedCrossKernel {
 public:
  CenteredCrossKernel(std::unique_ptr<CrossKernel> cross, Vector mean, double grand_mean);

  std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const override;
  void save(CrossKernelSink& sink) const override;

 private:
  class Placed;

  Vector mean_;
  double grand_mean_;
};

}  // namespace stkr
