#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gram/decorated_gram.hpp"
#include "gram/smoothed_features.hpp"
#include "stkr/gram/gram_operator.hpp"

namespace stkr {

// K = Φ Φᵀ for smoothed features Φ: the linear kernel of Φ, or the cosine if its rows have length
// 1. A product is S x = Φ (Φᵀ x)/N, which costs the edges and the entries of X, not N².
class SmoothedGram final : public GramOperator {
 public:
  explicit SmoothedGram(std::shared_ptr<const SmoothedFeatures> features);

  Index size() const override { return features_->size(); }
  void apply(ConstMatrixRef x, MatrixRef y) const override;
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override;
  bool sparse() const override { return true; }
  SpectrumBounds bounds() const override;
  bool nonnegative() const override { return features_->nonnegative(); }
  std::unique_ptr<CrossKernel> cross_kernel() const override;

 private:
  std::shared_ptr<const SmoothedFeatures> features_;
};

// Another kernel of the points φ_i: the gram of Φ as points, and new nodes by their own φ.
class SmoothedPointGram final : public DecoratedGram {
 public:
  // `gram` is a gram of the points features->dense(), and not null.
  SmoothedPointGram(std::unique_ptr<GramOperator> gram,
                    std::shared_ptr<const SmoothedFeatures> features);

  void apply(ConstMatrixRef x, MatrixRef y) const override { gram_->apply(x, y); }
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override {
    return gram_->block(rows, columns);
  }
  SpectrumBounds bounds() const override { return gram_->bounds(); }
  bool nonnegative() const override { return gram_->nonnegative(); }
  std::vector<char> reached(const std::vector<char>& from, int steps) const override {
    return gram_->reached(from, steps);
  }
  std::unique_ptr<LinearOperator> restricted(std::vector<Index> samples,
                                             double scale) const override {
    return gram_->restricted(std::move(samples), scale);
  }
  std::unique_ptr<CrossKernel> cross_kernel() const override;

 private:
  std::shared_ptr<const SmoothedFeatures> features_;
};

}  // namespace stkr
