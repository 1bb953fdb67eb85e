#pragma once

#include <memory>

#include "gram/decorated_cross_kernel.hpp"
#include "gram/decorated_gram.hpp"

namespace stkr {

// A gram without its leading eigenvectors u, which must be known in closed form: S - λ₁ Σ u uᵀ.
// They say only which component a sample is in and how dense its neighborhood is, but as η → 1/λ₁
// the inverse Laplacian λ/(1 - ηλ) gives them all the weight. Without them η = 1/λ₁ is regular: on
// a graph, its kernel is the pseudoinverse of the Laplacian, as in Poisson learning (Calder, Cook,
// Thorpe and Slepčev 2020).
class DeflatedGram final : public DecoratedGram {
 public:
  // Throws ValueError if `gram` knows no eigenvector of a positive eigenvalue.
  explicit DeflatedGram(std::unique_ptr<GramOperator> gram, int threads = 0);

  void apply(ConstMatrixRef x, MatrixRef y) const override;
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override;
  SpectrumBounds bounds() const override;
  // The removed eigenvectors, for λ = 0.
  const KnownEigenspace* known_eigenspace() const override { return &removed_; }
  bool knows_components() const override { return gram_->knows_components(); }
  std::unique_ptr<CrossKernel> cross_kernel() const override;

 private:
  double largest_;  // λ₁
  KnownEigenspace removed_;
  int threads_;
};

// Rows of new samples. λ₁ u(x) = Σ_j S(x, x_j) u_j also holds for a new sample with its self term
// δ, so u(x) follows from the row without it: Σ_j S(x, x_j) u_j/(λ₁ - δ).
class DeflatedCrossKernel final : public DecoratedCrossKernel {
 public:
  DeflatedCrossKernel(std::unique_ptr<CrossKernel> cross, double largest, KnownEigenspace removed);

  std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const override;
  void save(CrossKernelSink& sink) const override;

 private:
  class Placed;

  double largest_;
  KnownEigenspace removed_;
  std::vector<std::int32_t> saved_groups_;  // from 1; 0 for a sample without one
};

}  // namespace stkr
