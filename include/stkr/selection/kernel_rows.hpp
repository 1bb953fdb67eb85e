#pragma once

#include <vector>

#include "stkr/gram/gram_operator.hpp"

namespace stkr {

// R: the rows K(x, ·) over the N samples of a gram, first for its n labelled samples, then for the
// samples that are scored. f = R c for every method, so R X for a few blocks X is all that
// selection needs of them. The gram, and what places new samples, must outlive this.
class KernelRows {
 public:
  // Scored: samples of the gram (transductive).
  KernelRows(const GramOperator& gram, std::vector<Index> labeled, std::vector<Index> scored);
  // Scored: new samples (inductive), after `seen` samples of the gram.
  KernelRows(const GramOperator& gram, std::vector<Index> labeled, const CrossKernel& cross,
             const NewSamples& samples, const std::vector<Index>& seen = {});

  const std::vector<Index>& labeled() const { return labeled_; }
  Index scored() const { return scored_; }  // how many
  bool inductive() const { return cross_ != nullptr; }

  // R X, given X and S X.
  Matrix apply(ConstMatrixRef x, ConstMatrixRef s_x) const;

  // The rows of X at the labelled and scored samples themselves; not for new ones.
  Matrix gather(ConstMatrixRef x) const;

  // For each scored sample whether a label can reach it: not where it lies in a component, or joins
  // components, without any. All of them where the gram does not know its components.
  std::vector<char> reached(const GramOperator& gram) const;

 private:
  std::vector<Index> labeled_;
  std::vector<Index> known_;  // labelled, then scored samples of the gram
  Index scored_ = 0;          // both kinds
  double size_;               // N: K = N·S
  const CrossKernel* cross_ = nullptr;
  const NewSamples* samples_ = nullptr;
};

}  // namespace stkr
