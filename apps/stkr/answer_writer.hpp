#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "answer_format.hpp"
#include "stkr/estimator/decision.hpp"

namespace stkr::app {

// The names of the classes or targets.
const std::vector<std::string>& output_names(const Decision& decision);

// The columns of a file of predictions.
struct AnswerLayout {
  const Decision& decision;
  AnswerFormat format = AnswerFormat::csv;
  std::string name_column{};   // of the samples' names: "node"; empty if they have none
  bool probabilities = false;  // for classes
  // Prediction sets of classes, or intervals of numbers, that contain the truth so often.
  std::optional<double> coverage{};
  bool deviations = false;  // standard deviations of the scores
  std::string copied{};     // the AnnData file that an .h5ad output copies
  int threads = 0;
};

// What the system of a fit says about rows of predictions, one column per output; empty if it was
// not asked.
struct CertaintyRows {
  Matrix deviation;
  Matrix lower, upper;  // jackknife+ intervals
};

// Some rows: predictions with the index and, if samples have names, the name of each sample.
struct AnswerPart {
  std::span<const Index> index;
  std::span<const std::string> names;
  const Predictions& predictions;
  const CertaintyRows& certainty;
};

// Writes predictions in parts, with one row per sample.
class AnswerWriter {
 public:
  virtual ~AnswerWriter() = default;
  virtual void write(const AnswerPart& part) = 0;
};

// Calls fill(writer), after which the file is complete; if it throws, the file is unchanged. Text
// is written as it comes. An .npz archive is held in memory until the end: throws MemoryError if
// that takes more than `memory` bytes.
void write_answers(const std::string& path, const AnswerLayout& layout, std::uint64_t memory,
                   const std::function<void(AnswerWriter&)>& fill);

}  // namespace stkr::app
