#pragma once

#include <span>
#include <string>
#include <vector>

#include "stkr/dataset/atomic_file.hpp"
#include "stkr/estimator/answer_tally.hpp"
#include "stkr/estimator/decision.hpp"

namespace stkr::app {

// The classes or targets that scores are of.
const std::vector<std::string>& output_names(const Decision& decision);

struct PredictionOptions {
  bool named = false;          // samples have names, which come behind their index
  bool keep_evidence = false;  // for WrittenPredictions
};

struct WrittenPredictions {
  Index rows = 0;
  Index without_evidence = 0;
  Index tied = 0;
  AnswerTally tally;
  std::vector<char> evidence;      // of all rows, where it is kept
  std::vector<std::string> names;  // likewise, where samples have any
};

// Predictions as CSV, part by part.
class PredictionWriter {
 public:
  PredictionWriter(FileSink& sink, const Decision& decision, const PredictionOptions& options);

  void write(const Predictions& part, std::span<const std::string> names = {});
  const WrittenPredictions& written() const { return written_; }

 private:
  FileSink& sink_;
  const Decision& decision_;
  PredictionOptions options_;
  bool classes_;
  WrittenPredictions written_;
};

}  // namespace stkr::app
