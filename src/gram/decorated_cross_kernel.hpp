#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "stkr/gram/cross_kernel.hpp"

namespace stkr {

// New samples placed by a cross kernel that changes the rows of another one. Which known samples
// equal a new one or are nearest to it does not change.
class DecoratedSamples : public PlacedSamples {
 public:
  explicit DecoratedSamples(std::unique_ptr<PlacedSamples> inner) : inner_(std::move(inner)) {}

  std::optional<Twins> twins() const override { return inner_->twins(); }
  std::optional<std::vector<Index>> nearest(std::span<const Index> among) const override {
    return inner_->nearest(among);
  }

 protected:
  std::unique_ptr<PlacedSamples> inner_;
};

// A cross kernel that changes the rows of another one.
class DecoratedCrossKernel : public CrossKernel {
 public:
  explicit DecoratedCrossKernel(std::unique_ptr<CrossKernel> cross) : cross_(std::move(cross)) {}

  Index known() const override { return cross_->known(); }
  std::optional<Index> features() const override { return cross_->features(); }
  double self_term() const override { return cross_->self_term(); }
  std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                            std::span<const Index> among) const override {
    return cross_->nearest(samples, among);
  }

 protected:
  std::unique_ptr<CrossKernel> cross_;
};

}  // namespace stkr
