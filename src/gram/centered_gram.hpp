#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gram/decorated_cross_kernel.hpp"
#include "gram/decorated_gram.hpp"

namespace stkr {

// Centers any gram as in the paper's assumption (ii), with the N samples as the distribution:
//   K̃(x, x') = K(x, x') - mean_j K(x, x_j) - mean_j K(x_j, x') + mean_jl K(x_j, x_l)
// so that constants are orthogonal to everything: S̃ = P S P with P = I - 11ᵀ/N, S̃ 1 = 0.
class CenteredGram final : public DecoratedGram {
 public:
  // Costs one product with `gram`.
  explicit CenteredGram(std::unique_ptr<GramOperator> gram);

  void apply(ConstMatrixRef x, MatrixRef y) const override;
  std::shared_ptr<const DeviceOperator> on_device() const override;
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override;
  Matrix columns(std::span<const Index> samples) const override;
  std::unique_ptr<LinearOperator> restricted(std::vector<Index> samples,
                                             double scale) const override;
  SpectrumBounds bounds() const override;
  // The constant vector, for λ = 0.
  const KnownEigenspace* known_eigenspace() const override { return &constant_; }
  std::unique_ptr<CrossKernel> cross_kernel() const override;

 private:
  // Half the grand mean less the mean of each sample: what centering adds per row and column.
  Vector offsets_at(std::span<const Index> samples) const;

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
