#pragma once

#include <vector>

#include "solver/resolvent_space.hpp"
#include "stkr/gram/gram_operator.hpp"

namespace stkr {

// R: the rows K(x, ·) over the N samples of a gram, first for its n labeled samples, then for the
// scored samples. f = R c for every method, so selection only needs R X for a few blocks X. Rows of
// new samples lack the kernel's self term (GramOperator::self_term), so they use a different c. The
// gram and the placed samples must outlive this.
class KernelRows {
 public:
  // Scored: samples of the gram (transductive).
  KernelRows(const GramOperator& gram, std::vector<Index> labeled, std::vector<Index> scored);
  // Scored: `count` new samples (inductive), after `seen` samples of the gram.
  KernelRows(const GramOperator& gram, std::vector<Index> labeled, const PlacedSamples& samples,
             Index count, const std::vector<Index>& seen = {});

  const std::vector<Index>& labeled() const { return labeled_; }
  Index labels() const { return static_cast<Index>(labeled_.size()); }
  const std::vector<Index>& known() const { return known_; }  // rows that are samples of the gram
  Index scored() const { return scored_; }                    // how many
  Index fresh() const { return fresh_; }                      // new samples: the last scored rows
  bool inductive() const { return samples_ != nullptr; }

  // R X, given X and S X; and for a space of blocks, whose sampler must not outlive this.
  Matrix apply(ConstMatrixRef x, ConstMatrixRef s_x) const;
  RowSampler sampler() const;

  // The rows of X at the labeled and scored samples themselves; not for new samples.
  Matrix gather(ConstMatrixRef x) const;

  // Which labels can reach which labeled and scored samples: (n + scored) × n, 0 or 1, all 1 if K
  // has negative values. A label reaches only samples joined to it by a path along K > 0; a new
  // sample may join several components.
  Matrix links(const GramOperator& gram) const;

 private:
  Matrix finish(Matrix known, const RowSampler::Whole& whole) const;
  Matrix links_over_processes(const GramOperator& gram) const;

  std::vector<Index> labeled_;
  std::vector<Index> known_;  // labeled, then scored samples of the gram
  Index scored_ = 0;          // both kinds
  Index fresh_ = 0;
  double size_;             // N: K = N·S
  const SharedRows* rows_;  // of the gram
  Vector inverse_root_;     // 1/√w of the sample weights at `known`; empty: no weights
  const PlacedSamples* samples_ = nullptr;
};

}  // namespace stkr
