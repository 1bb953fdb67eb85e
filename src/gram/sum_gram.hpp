#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "linop/operators.hpp"
#include "stkr/gram/gram_operator.hpp"

namespace stkr {

// K = Σ_k w_k K_k over several views of the same N samples, such as features and links. New samples
// are given as one NewSamples per part, in the same order.
class SumGram final : public GramOperator {
 public:
  // Throws ShapeError unless there is one weight per gram and all grams have the same size,
  // ValueError if a weight is not positive and finite.
  SumGram(std::vector<std::unique_ptr<GramOperator>> grams, std::vector<double> weights);

  Index size() const override { return grams_.front()->size(); }
  void apply(ConstMatrixRef x, MatrixRef y) const override;
  std::shared_ptr<const DeviceOperator> on_device() const override;
  void apply_step(double a, ConstMatrixRef x, double b, double c, MatrixRef y) const override;
  Index panel_columns() const override;
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override;
  SpectrumBounds bounds() const override;
  bool nonnegative() const override;
  bool sparse() const override;
  double self_term() const override;
  // Uses the first part that has a distance.
  std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                            std::span<const Index> among) const override;
  // The sum of the restricted parts: explicit sparse blocks stay sparse.
  std::unique_ptr<LinearOperator> restricted(std::vector<Index> samples,
                                             double scale) const override;
  // Not null if all parts know the same vectors, such as two kernels of one graph.
  const KnownEigenspace* known_eigenspace() const override {
    return eigenspace_ ? &*eigenspace_ : nullptr;
  }
  std::unique_ptr<CrossKernel> cross_kernel() const override;

 private:
  std::vector<std::unique_ptr<GramOperator>> grams_;
  std::vector<double> weights_;
  std::optional<SumOperator> sum_;  // of grams_, which do not move in memory
  std::optional<KnownEigenspace> eigenspace_;
};

class SumCrossKernel final : public CrossKernel {
 public:
  SumCrossKernel(std::vector<std::unique_ptr<CrossKernel>> parts, std::vector<double> weights);

  Index known() const override { return parts_.front()->known(); }
  std::optional<Index> features() const override;  // of the first part that takes points
  double self_term() const override;
  std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const override;
  std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                            std::span<const Index> among) const override;
  void save(CrossKernelSink& sink) const override;

 private:
  class Placed;

  std::vector<std::unique_ptr<CrossKernel>> parts_;
  std::vector<double> weights_;
};

}  // namespace stkr
