#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stkr/dataset/labels.hpp"

namespace stkr::app {

// Where predictions and the truth are, and how they are matched.
struct ScoreSources {
  std::string answers, answers_format;
  std::string truth, truth_format;
  std::string prediction = "prediction";  // column of the answers
  std::string labels;                     // column or array of the truth; empty: the usual names
  std::string id;  // column that matches both; empty: the names of the answers, else the index
  Task task = Task::automatic;
};

// Predictions with the truth of the same samples.
struct ScoredAnswers {
  std::vector<std::string> predicted;  // classes
  Matrix values;                       // numbers: one row per sample, one column per target
  std::optional<Matrix> probabilities;
  std::vector<std::string> columns;  // classes of the probabilities
  Labels truth;                      // one entry per prediction
  std::string matched_by;            // "id", "index"
  Index truth_labels = 0;            // labels in the truth
  std::vector<std::string> notes;
};

// Throws DataError for files that cannot be read, missing columns, names or numbers that do not
// match, and classes that one of the two does not know.
ScoredAnswers match_answers(const ScoreSources& sources);

}  // namespace stkr::app
