#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "stkr/estimator/decision.hpp"

namespace stkr::report {

// A sample whose two best classes are nearly equal.
struct DoubtfulSample {
  Index index = 0;
  std::string name{};  // empty: none
  Index first = 0;     // the predicted class
  Index second = 0;
  double first_share = 0.0;  // of the positive scores
  double second_share = 0.0;
  Vector features{};  // empty: not asked for
};

// What a page shows of predictions, collected in parts: memory does not grow with their number.
class AnswerSummary {
 public:
  explicit AnswerSummary(const Decision& decision, std::size_t most_doubtful = 24);

  // The next samples. `names` is empty, or has a name for each. Samples for which `skip` is nonzero
  // are counted but not doubtful: labeled ones. `features` returns those of the k-th sample.
  void add(const Predictions& predictions, std::span<const std::string> names = {},
           std::span<const char> skip = {}, const std::function<Vector(Index)>& features = {});

  Index samples() const { return samples_; }
  Index without_evidence() const { return without_evidence_; }
  Index tied() const { return tied_; }
  // Per class; empty for regression.
  const std::vector<Index>& answers() const { return answers_; }
  // With evidence, the most doubtful first.
  const std::vector<DoubtfulSample>& doubtful() const { return doubtful_; }
  // Of regression, per target; 0 without samples.
  struct Range {
    double low = 0.0, high = 0.0, sum = 0.0;
  };
  const std::vector<Range>& ranges() const { return ranges_; }

 private:
  void doubt(DoubtfulSample sample);

  std::size_t most_doubtful_;
  Index samples_ = 0, without_evidence_ = 0, tied_ = 0;
  std::vector<Index> answers_;
  std::vector<Range> ranges_;
  std::vector<DoubtfulSample> doubtful_;
};

}  // namespace stkr::report
