#pragma once

#include <optional>
#include <vector>

#include "stkr/estimator/decision.hpp"

namespace stkr {

// Predictions of every labelled sample by fits that did not see its label, from the kernel between
// the labelled samples alone. What a fit learns of the labels besides (class frequencies, the mean
// of targets) comes from the other folds too.
//
// Class-mass normalisation takes its factors from each fold's scores of samples unlabelled from the
// start, and its prior from the labels of the other folds. The held-out samples themselves will not
// do: their shares are those of the labels, which would flatter it. Leaving one out has no scores
// of other samples in closed form that are cheap: there factors and prior are those of the fit to
// all labels.
class HeldOut {
 public:
  HeldOut(const Labels& labels, std::vector<std::vector<Index>> folds,
          const DecisionOptions& options = {});
  // Every sample by itself.
  explicit HeldOut(const Labels& labels, const DecisionOptions& options = {});

  // The answers by f alone, and by class-mass normalised scores where they were asked for.
  struct Answers {
    Predictions plain;
    std::optional<Predictions> class_mass;
  };

  // Ridge regression with the n × n kernel `gram`, for every β. `unlabeled` is the kernel between
  // the samples that give the factors (rows) and the labelled ones; without rows, no class mass.
  std::vector<Answers> ridge(ConstMatrixRef gram, const std::vector<double>& betas,
                             ConstMatrixRef unlabeled = Matrix()) const;

  // A method that answers f = P y without solving anything; P of the labelled, then of unlabelled
  // samples.
  Answers linear(ConstMatrixRef p) const;

 private:
  // f at the held-out samples, and for each fold at the unlabelled ones.
  Answers decide_folds(const Matrix& f, const std::vector<Matrix>& unlabeled) const;
  Predictions decide_folds(const Matrix& f, const std::vector<Decision>& decisions) const;

  std::vector<std::vector<Index>> folds_;
  bool leave_one_out_ = false;
  Matrix y_;                         // n × C: one-hot rows, or targets as they are
  std::vector<Decision> decisions_;  // of each fold
  Decision all_;                     // of all labels
  Matrix means_;                     // of each fold's targets; zero rows for classes
};

}  // namespace stkr
