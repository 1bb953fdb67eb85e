#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

// The expected error with some of the labels, or of the unlabeled samples.
struct CurvePoint {
  Index amount = 0;             // labels, or samples in total
  double error = 0.0;           // share of wrong classes, or of the variance of the targets
  double standard_error = 0.0;  // over labels
  Index draws = 1;              // random subsets
};

struct LearningCurve {
  std::vector<CurvePoint> points{};  // by amount, the last with everything there is
  // How much the last doubling reduced the error: the difference of the same labels' errors.
  std::optional<double> gain{};
  double gain_error = 0.0;  // its standard error
  std::string unknown{};    // why there is no curve; empty: there is one
};

// The errors of every label at one point of a curve: a mean over the draws in which it was left
// out.
using LabelErrors = Vector;

// Makes a curve of the errors of the same labels at increasing amounts; the one before the last has
// half of the last amount.
LearningCurve learning_curve(const std::vector<Index>& amounts,
                             const std::vector<LabelErrors>& errors, Index draws);

}  // namespace stkr
