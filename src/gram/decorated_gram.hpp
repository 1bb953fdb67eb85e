#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stkr/error.hpp"
#include "stkr/gram/gram_operator.hpp"

namespace stkr {

// A gram that changes the kernel of another one. The samples, their distances and what a sample has
// for itself alone do not change. gram/decorated_cross_kernel is the same for new samples.
class DecoratedGram : public GramOperator {
 public:
  Index size() const override { return gram_->size(); }
  const SharedRows* shared_rows() const override { return gram_->shared_rows(); }
  bool sparse() const override { return gram_->sparse(); }
  double self_term() const override { return gram_->self_term(); }
  std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                            std::span<const Index> among) const override {
    return gram_->nearest(samples, among);
  }

 protected:
  // Throws ValueError if `gram` is null; `who` starts the message.
  DecoratedGram(std::unique_ptr<GramOperator> gram, const char* who) : gram_(std::move(gram)) {
    if (!gram_) throw ValueError(std::string(who) + ": the gram is null");
  }

  std::unique_ptr<GramOperator> gram_;
};

}  // namespace stkr
