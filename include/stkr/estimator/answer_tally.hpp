#pragma once

#include <string>
#include <vector>

#include "stkr/estimator/decision.hpp"

namespace stkr {

// Counts answers, part by part, to notice a model that knows nothing: most samples have no
// evidence, or nearly all answers are one class although its share says otherwise.
class AnswerTally {
 public:
  void add(const Predictions& predictions);
  void add(Index class_index);                      // one answer; -1: without evidence
  void add(Index samples, Index without_evidence);  // numbers: there are no classes to count

  Index samples() const { return samples_; }

  // What there is to warn of, with what to do. `what` names the samples, "new samples" say.
  // `shares` are those that classes can be expected to have; empty for numbers.
  std::vector<std::string> warnings(const std::string& what, const Vector& shares,
                                    const std::vector<std::string>& names) const;
  std::vector<std::string> warnings(const std::string& what, const Decision& decision) const;

 private:
  Index samples_ = 0;
  Index without_evidence_ = 0;
  std::vector<Index> answered_;  // of each class, with evidence
};

}  // namespace stkr
