#pragma once

#include <string>
#include <vector>

#include "stkr/estimator/decision.hpp"

namespace stkr {

// Counts predictions in parts to detect an uninformative model: most samples have no evidence, or
// nearly all predictions are one class although its expected share is smaller.
class AnswerTally {
 public:
  void add(const Predictions& predictions);
  void add(Index class_index);                      // one prediction; -1: no evidence
  void add(Index samples, Index without_evidence);  // regression: no classes to count

  // Adds up what several processes counted; `classes` is the largest number of classes.
  void sum_over(const SharedRows* rows, Index classes);

  Index samples() const { return samples_; }

  // Returns the warnings, each with what to do. `what` names the samples, e.g. "new samples".
  // `shares` are the expected class shares; empty for regression.
  std::vector<std::string> warnings(const std::string& what, const Vector& shares,
                                    const std::vector<std::string>& names) const;
  std::vector<std::string> warnings(const std::string& what, const Decision& decision) const;

 private:
  Index samples_ = 0;
  Index without_evidence_ = 0;
  std::vector<Index> answered_;  // per class, with evidence
};

}  // namespace stkr
