#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gram/decorated_cross_kernel.hpp"
#include "gram/decorated_gram.hpp"

namespace stkr {

// Any gram whose samples carry weights p_i instead of 1/N each:
//   S_p = P^½ G_K P^½,  K̂_s = P^-½ s(S_p) P^-½,
// so that sums over samples represent another distribution: importance weights under covariate
// shift, or the degrees of the paper's proposition on the inverse Laplacian
// (app:proof-inv-lap-connect), p = D/Tr(D) with the probability kernel. With w_i = N p_i this is
// the gram of √w K √w; estimators read √w from root_weights() and return f in the units of y. A new
// sample has weight 1.
class WeightedGram final : public DecoratedGram {
 public:
  // Scales the weights to a mean of 1. Throws ShapeError unless there is one per sample (of this
  // process), ValueError if a weight is negative or not finite, if none is positive, or if the gram
  // already carries weights.
  WeightedGram(std::unique_ptr<GramOperator> gram, Vector weights);

  void apply(ConstMatrixRef x, MatrixRef y) const override;
  std::shared_ptr<const DeviceOperator> on_device() const override;
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override;
  Matrix columns(std::span<const Index> samples) const override;
  std::unique_ptr<LinearOperator> restricted(std::vector<Index> samples,
                                             double scale) const override;
  SpectrumBounds bounds() const override;
  bool nonnegative() const override { return gram_->nonnegative(); }
  const Vector* root_weights() const override { return &root_; }
  std::vector<char> reached(const std::vector<char>& from, int steps) const override;
  std::unique_ptr<CrossKernel> cross_kernel() const override;

 private:
  Vector root_;  // √w
};

// K(new, known) √w, for coefficients of √w K √w.
class WeightedCrossKernel final : public DecoratedCrossKernel {
 public:
  WeightedCrossKernel(std::unique_ptr<CrossKernel> cross, Vector root);

  std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const override;
  void save(CrossKernelSink& sink) const override;

 private:
  class Placed;

  Vector root_;
};

// √w at some samples, numbered as in block(); empty if all samples count equally.
Vector root_weights_at(const GramOperator& gram, std::span<const Index> samples);

// 1/r for r > 0, else 0: from √w f back to f. A sample of weight 0 has f = 0.
Vector inverse_or_zero(const Vector& roots);

}  // namespace stkr
