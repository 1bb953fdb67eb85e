#pragma once

#include <optional>
#include <vector>

#include "selection/folds.hpp"
#include "selection/transformed_blocks.hpp"
#include "stkr/estimator/decision.hpp"
#include "stkr/selection/grid.hpp"

namespace stkr {

// Predicts labeled samples by fits that did not see their labels, from the kernel between the
// labeled samples alone. Everything else that a fit derives from labels (class frequencies, the
// constant of regression) also comes from the other folds only.
//
// Class-mass normalization computes its factors from each fold's scores of samples unlabeled from
// the start, and its prior from the labels of the other folds. The held-out samples cannot be used:
// their class shares are those of the labels, which would make the result optimistic. Leave-one-out
// has no cheap closed form for the scores of other samples, so its factors and prior are those of
// the fit to all labels.
class HeldOut {
 public:
  // Which of the labeled samples `among` is nearest to labeled sample i, all as positions among the
  // labeled ones; -1 if there is no distance.
  using Nearest = std::function<Index(Index i, const std::vector<Index>& among)>;

  // Folds by position among the labeled samples, each with its held-out samples ascending.
  HeldOut(const Labels& labels, std::vector<Fold> folds, const DecisionOptions& options = {});
  // Each fold is fitted to all samples outside of it.
  HeldOut(const Labels& labels, std::vector<std::vector<Index>> folds,
          const DecisionOptions& options = {});
  // Leave-one-out: each sample is its own fold.
  explicit HeldOut(const Labels& labels, const DecisionOptions& options = {});

  void set_nearest(Nearest nearest) { nearest_ = std::move(nearest); }

  const Matrix& targets_of_labeled() const { return y_; }  // n × C
  bool leaves_one_out() const { return leave_one_out_; }
  // What the rows of the predictions are.
  const HeldOutRows& rows() const { return rows_; }

  // Predictions from f alone, and from class-mass normalized scores if requested.
  struct Answers {
    Predictions plain;
    std::optional<Predictions> class_mass;
    double beta = 0.0;  // of a fit to all labels
  };

  // Ridge regression with the kernel block.labeled for every ridge. block.scored is the kernel
  // between the samples that determine the class-mass factors and the labeled ones; if it has no
  // rows, class mass is not used.
  std::vector<Answers> ridge(const TransformedBlock& block,
                             const std::vector<GridRidge>& ridges) const;

  // A method that predicts f = P y without solving a system; P has the labeled, then the unlabeled
  // samples. `exact_zeros` as in TransformedBlock.
  Answers linear(ConstMatrixRef p, bool exact_zeros) const;

 private:
  struct Scores {
    Matrix f;                    // at the held-out samples, from their fold's fit
    Matrix constant;             // of that fit, for regression
    std::vector<char> evidence;  // of the held-out samples
    // At the unlabeled samples per fold, or once for all folds; and which have evidence.
    std::vector<Matrix> unlabeled;
    std::vector<std::vector<char>> heard;
  };
  Answers decide_folds(const Scores& scores) const;
  Predictions decide_folds(const Scores& scores, const std::vector<Decision>& decisions) const;
  Scores left_out(const class RidgePath& path, const TransformedBlock& block, double beta) const;
  bool targets() const { return std::holds_alternative<TargetDecision>(all_); }

  Scores empty_scores() const;

  std::vector<Fold> folds_;
  HeldOutRows rows_;
  bool leave_one_out_ = false;
  Matrix y_;                         // n × C: one-hot rows, or targets as they are
  std::vector<Decision> decisions_;  // of each fold
  Decision all_;                     // of all labels
  bool intercept_;
  Nearest nearest_;
};

}  // namespace stkr
