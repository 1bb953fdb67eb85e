#pragma once

#include <memory>

#include "stkr/gram/gram_operator.hpp"
#include "stkr/linop/feature_matrix.hpp"

namespace stkr {

// S = K/N for an explicit N × N kernel matrix. New samples are kernel rows K(x, x_i), M × N.
class DenseGram final : public GramOperator {
 public:
  // Throws ShapeError unless `kernel` is square, ValueError if an entry is not finite or differs
  // from its mirror image by more than rounding, naming the entry. threads: 0 for all cores.
  explicit DenseGram(SharedMatrix kernel, int threads = 0);

  Index size() const override { return kernel_.rows(); }
  void apply(ConstMatrixRef x, MatrixRef y) const override;
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override;
  // From absolute row sums; definiteness is unknown without eigenvalues.
  SpectrumBounds bounds() const override { return bounds_; }
  bool nonnegative() const override { return nonnegative_; }
  std::unique_ptr<CrossKernel> cross_kernel() const override;

 private:
  SharedMatrix kernel_;
  SpectrumBounds bounds_;
  bool nonnegative_ = true;
  int threads_;
};

// Stores only N: new samples are kernel rows.
class DenseCrossKernel final : public CrossKernel {
 public:
  DenseCrossKernel(Index known, int threads) : known_(known), threads_(threads) {}

  Index known() const override { return known_; }
  std::optional<Index> features() const override { return known_; }
  std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const override;
  void save(CrossKernelSink& sink) const override;

 private:
  Index known_;
  int threads_;
};

}  // namespace stkr
