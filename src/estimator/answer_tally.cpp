#include "estimator/answer_tally.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stkr {
namespace {

// With fewer samples without evidence, no warning is given.
constexpr Index kFewest = 10;

// With fewer predictions, one class is plausible: the caller may have sorted the samples.
constexpr double kFewestAnswers = 50.0;

// The share of predictions that counts as nearly all, and the class share that explains it.
constexpr double kNearlyAll = 0.95, kNoSurprise = 0.9;

}  // namespace

void AnswerTally::add(const Predictions& predictions) {
  for (std::size_t i = 0; i < predictions.evidence.size(); ++i) {
    if (!predictions.class_index.empty()) {
      add(predictions.evidence[i] ? predictions.class_index[i] : Index{-1});
    } else {
      add(1, predictions.evidence[i] ? 0 : 1);
    }
  }
}

void AnswerTally::add(Index class_index) {
  ++samples_;
  if (class_index < 0) {
    ++without_evidence_;
    return;
  }
  if (class_index >= static_cast<Index>(answered_.size())) {
    answered_.resize(static_cast<std::size_t>(class_index) + 1, 0);
  }
  ++answered_[class_index];
}

void AnswerTally::add(Index samples, Index without_evidence) {
  samples_ += samples;
  without_evidence_ += without_evidence;
}

void AnswerTally::sum_over(const SharedRows* rows, Index classes) {
  if (!rows) return;
  Matrix counts = Matrix::Zero(1, 2 + classes);
  counts(0, 0) = static_cast<double>(samples_);
  counts(0, 1) = static_cast<double>(without_evidence_);
  for (std::size_t c = 0; c < answered_.size(); ++c) {
    counts(0, 2 + static_cast<Index>(c)) = static_cast<double>(answered_[c]);
  }
  rows->sum(counts);
  samples_ = static_cast<Index>(counts(0, 0));
  without_evidence_ = static_cast<Index>(counts(0, 1));
  // As if counted here: classes after the last one predicted have no entry.
  answered_.clear();
  for (Index c = 0; c < classes; ++c) {
    if (counts(0, 2 + c) == 0.0) continue;
    answered_.resize(static_cast<std::size_t>(c) + 1, 0);
    answered_.back() = static_cast<Index>(counts(0, 2 + c));
  }
}

std::vector<std::string> AnswerTally::warnings(const std::string& what, const Vector& shares,
                                               const std::vector<std::string>& names) const {
  std::vector<std::string> result;
  if (samples_ < kFewest) return result;
  if (2 * without_evidence_ > samples_) {
    result.push_back(
        fmt::format("{} of {} {} have no evidence: no label reaches them, so the prediction is {}; "
                    "label more samples, or use a kernel or transform that reaches further (more "
                    "neighbors, a longer length scale, the inverse Laplacian)",
                    without_evidence_, samples_, what,
                    shares.size() > 0 ? "the most frequent class" : "a constant"));
  }
  const auto largest = std::max_element(answered_.begin(), answered_.end());
  if (largest == answered_.end() || shares.size() == 0) return result;
  const auto place = largest - answered_.begin();
  const auto heard = static_cast<double>(samples_ - without_evidence_);
  // No warning if the labels are nearly all of that class too.
  if (heard < kFewestAnswers || static_cast<double>(*largest) < kNearlyAll * heard ||
      shares[place] >= kNoSurprise) {
    return result;
  }
  result.push_back(fmt::format(
      "{} of {} {} with evidence are predicted as {}, whose share among the labels is {:.0f}%: one "
      "class dominates the others; try class-mass normalization, another kernel (knn) or length "
      "scale, or a smaller eta",
      *largest, static_cast<Index>(heard), what, names[place], 100.0 * shares[place]));
  return result;
}

std::vector<std::string> AnswerTally::warnings(const std::string& what,
                                               const Decision& decision) const {
  if (const auto* classes = std::get_if<ClassDecision>(&decision)) {
    return warnings(what, classes->prior, classes->names);
  }
  return warnings(what, Vector(), {});
}

}  // namespace stkr
