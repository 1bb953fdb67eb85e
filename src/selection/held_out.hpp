#pragma once

#include <vector>

#include "stkr/estimator/decision.hpp"

namespace stkr {

// Predictions of every labelled sample by fits that did not see its label, from the kernel between
// the labelled samples alone. What a fit learns of the labels besides (class frequencies, the mean
// of targets) comes from the other folds too.
class HeldOut {
 public:
  HeldOut(const Labels& labels, std::vector<std::vector<Index>> folds);
  explicit HeldOut(const Labels& labels);  // every sample by itself

  // Ridge regression with the n × n kernel `gram`, for every β.
  std::vector<Predictions> ridge(ConstMatrixRef gram, const std::vector<double>& betas) const;

  // A method that answers f = P y without solving anything.
  Predictions linear(ConstMatrixRef p) const;

 private:
  Predictions decide_folds(const Matrix& f) const;

  std::vector<std::vector<Index>> folds_;
  bool leave_one_out_ = false;
  Matrix y_;                         // n × C: one-hot rows, or targets as they are
  std::vector<Decision> decisions_;  // of each fold
  Matrix means_;                     // of each fold's targets; zero rows for classes
};

}  // namespace stkr
