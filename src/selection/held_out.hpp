#pragma once

#include <optional>
#include <vector>

#include "stkr/estimator/decision.hpp"
#include "stkr/selection/grid.hpp"
#include "stkr/selection/transformed_blocks.hpp"

namespace stkr {

// Predictions of every labeled sample by fits that did not see its label, from the kernel between
// the labeled samples alone. What a fit learns of the labels besides (class frequencies, the
// constant of targets) comes from the other folds too.
//
// Class-mass normalization takes its factors from each fold's scores of samples unlabeled from the
// start, and its prior from the labels of the other folds. The held-out samples themselves will not
// do: their shares are those of the labels, which would flatter it. Leaving one out has no scores
// of other samples in closed form that are cheap: there factors and prior are those of the fit to
// all labels.
class HeldOut {
 public:
  // Which of the labeled samples `among` is nearest to labeled sample i, all as places among the
  // labeled ones; -1 where there is no distance.
  using Nearest = std::function<Index(Index i, const std::vector<Index>& among)>;

  HeldOut(const Labels& labels, std::vector<std::vector<Index>> folds,
          const DecisionOptions& options = {}, bool intercept = true);
  // Every sample by itself.
  explicit HeldOut(const Labels& labels, const DecisionOptions& options = {},
                   bool intercept = true);

  void set_nearest(Nearest nearest) { nearest_ = std::move(nearest); }

  // The answers by f alone, and by class-mass normalized scores where they were asked for.
  struct Answers {
    Predictions plain;
    std::optional<Predictions> class_mass;
    double beta = 0.0;  // of a fit to all labels
  };

  // Ridge regression with the kernel block.labeled for every ridge. block.scored is the kernel
  // between the samples that give the factors of class mass and the labeled ones; without rows, no
  // class mass.
  std::vector<Answers> ridge(const TransformedBlock& block,
                             const std::vector<GridRidge>& ridges) const;

  // A method that answers f = P y without solving anything; P of the labeled, then of unlabeled
  // samples. `exact_zeros` as in TransformedBlock.
  Answers linear(ConstMatrixRef p, bool exact_zeros) const;

 private:
  struct Scores {
    Matrix f;                    // at the held-out samples, each by its fold's fit
    Matrix constant;             // of that fit, for targets
    std::vector<char> evidence;  // of the held-out samples
    // At the unlabeled samples for each fold, or once for all; and which have evidence.
    std::vector<Matrix> unlabeled;
    std::vector<std::vector<char>> heard;
  };
  Answers decide_folds(const Scores& scores) const;
  Predictions decide_folds(const Scores& scores, const std::vector<Decision>& decisions) const;
  Scores left_out(const class RidgePath& path, const TransformedBlock& block, double beta) const;
  bool targets() const { return std::holds_alternative<TargetDecision>(all_); }

  std::vector<std::vector<Index>> folds_;
  std::vector<std::vector<Index>> others_;  // the labeled samples outside of each fold
  bool leave_one_out_ = false;
  Matrix y_;                         // n × C: one-hot rows, or targets as they are
  std::vector<Decision> decisions_;  // of each fold
  Decision all_;                     // of all labels
  bool intercept_;
  Nearest nearest_;
};

}  // namespace stkr
