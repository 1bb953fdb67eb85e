#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stkr/dataset/labels.hpp"

namespace stkr {

// How good predictions are, given as such rather than by a model. Samples without truth do not
// count. Accuracy, balanced accuracy, macro F1 and R² as in selection/score.
struct ClassScores {
  Index samples = 0;  // that count
  double accuracy = 0.0, balanced_accuracy = 0.0, macro_f1 = 0.0;
  std::optional<double> log_loss;    // the mean of -log p(true class), with p at least 2⁻⁵²
  std::vector<std::string> classes;  // of the truth and the predictions, in the order of the truth
  std::vector<std::vector<Index>> confusion;  // true class × predicted class
};
struct TargetScores {
  Index samples = 0;
  double r2 = 0.0, mean_absolute_error = 0.0, root_mean_squared_error = 0.0;
};

// `predicted`: the name of a class per sample. `probabilities`: none, or one row per sample and one
// column per class of `columns`; a class without a column has probability 0. Throws ShapeError for
// other sizes, ValueError if no sample has truth.
ClassScores score_classes(const ClassLabels& truth, std::span<const std::string> predicted,
                          const std::optional<Matrix>& probabilities = {},
                          std::span<const std::string> columns = {});
// `predicted`: one row per sample, one column per target.
TargetScores score_targets(const TargetValues& truth, ConstMatrixRef predicted);

}  // namespace stkr
