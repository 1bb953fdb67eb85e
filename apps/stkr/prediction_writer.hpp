#pragma once

#include <span>
#include <string>
#include <vector>

#include "answer_writer.hpp"
#include "estimator/answer_tally.hpp"

namespace stkr::app {

// What was written, for the report.
struct WrittenPredictions {
  Index rows = 0;
  Index without_evidence = 0;
  Index tied = 0;
  AnswerTally tally;
  std::vector<Index> unreached;              // samples without evidence, if kept
  std::vector<std::string> unreached_names;  // likewise, if samples have names
};

// Writes the predictions of consecutive samples, all or some of them, and counts them.
class PredictionWriter {
 public:
  explicit PredictionWriter(AnswerWriter& answers, bool keep_unreached)
      : answers_(answers), keep_unreached_(keep_unreached) {}

  // The next samples. `wanted` says which of them are written; empty: all.
  void write(const Predictions& part, std::span<const std::string> names = {},
             std::span<const char> wanted = {}, const CertaintyRows& certainty = {});
  const WrittenPredictions& written() const { return written_; }

 private:
  AnswerWriter& answers_;
  bool keep_unreached_;
  Index next_ = 0;
  WrittenPredictions written_;
};

}  // namespace stkr::app
