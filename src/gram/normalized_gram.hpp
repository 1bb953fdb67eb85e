#pragma once

#include <memory>

#include "gram/decorated_cross_kernel.hpp"
#include "gram/decorated_gram.hpp"

namespace stkr {

// Normalizes any gram with non-negative row sums as graphs are normalized:
//   K̃(x, x') = K(x, x')/√(d(x) d(x')),  d(x) = mean_j K(x, x_j),  0 if d = 0.
// S̃ √d = √d: points get λ₁ = 1 and the closed-form eigenvector that graphs have.
class NormalizedGram final : public DecoratedGram {
 public:
  // Costs one product with `gram`. Throws ValueError if some d is negative, naming the sample, or
  // if the gram has a self term: lazy walks are already normalized.
  explicit NormalizedGram(std::unique_ptr<GramOperator> gram);

  void apply(ConstMatrixRef x, MatrixRef y) const override;
  std::shared_ptr<const DeviceOperator> on_device() const override;
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override;
  Matrix columns(std::span<const Index> samples) const override;
  std::unique_ptr<LinearOperator> restricted(std::vector<Index> samples,
                                             double scale) const override;
  SpectrumBounds bounds() const override;
  bool nonnegative() const override { return gram_->nonnegative(); }
  std::vector<char> reached(const std::vector<char>& from, int steps) const override {
    return gram_->reached(from, steps);
  }
  // √d, for λ = 1.
  const KnownEigenspace* known_eigenspace() const override { return &root_degree_; }
  std::unique_ptr<CrossKernel> cross_kernel() const override;

  // Of the samples of this process, if several share them.
  const Vector& degrees() const { return degree_; }

 private:
  Vector factors(std::span<const Index> samples) const;

  Vector degree_;        // d_i
  Vector inverse_root_;  // 1/√d_i, 0 if d_i = 0
  KnownEigenspace root_degree_;
};

class NormalizedCrossKernel final : public DecoratedCrossKernel {
 public:
  NormalizedCrossKernel(std::unique_ptr<CrossKernel> cross, Vector inverse_root);

  // d(x) of a new sample is computed by one more column in each product, which throws ValueError if
  // d(x) is negative; the row is zero if d(x) is zero.
  std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const override;
  void save(CrossKernelSink& sink) const override;

 private:
  class Placed;

  Vector inverse_root_;
  Matrix mean_;  // N × 1, all 1/N: K mean_ = d
};

}  // namespace stkr
