#pragma once

#include <span>
#include <string>
#include <vector>

#include "estimator/answer_tally.hpp"
#include "format/atomic_file.hpp"
#include "stkr/estimator/decision.hpp"

namespace stkr::app {

// The names of the classes or targets.
const std::vector<std::string>& output_names(const Decision& decision);

struct PredictionOptions {
  bool named = false;          // samples have names, written after the index
  bool keep_evidence = false;  // for WrittenPredictions
};

struct WrittenPredictions {
  Index rows = 0;
  Index without_evidence = 0;
  Index tied = 0;
  AnswerTally tally;
  std::vector<char> evidence;      // of all rows, if kept
  std::vector<std::string> names;  // likewise, if samples have names
};

// Writes predictions as CSV, in parts.
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
