#pragma once

#include <string>
#include <variant>
#include <vector>

#include "stkr/dataset/labels.hpp"
#include "stkr/linop/matrix.hpp"

namespace stkr {

// How scores become answers for classes: the largest score, or the most frequent class among the
// labelled samples where there is no evidence.
struct ClassDecision {
  std::vector<std::string> names;
  Vector prior;  // share of each class among the labelled samples
};

// The same for numbers: the mean of the labelled targets was taken off before fitting and is added
// to every prediction, so that it is also the answer where there is no evidence.
struct TargetDecision {
  std::vector<std::string> names;
  Vector mean;  // zero where no intercept was asked for
};

using Decision = std::variant<ClassDecision, TargetDecision>;

// Labels as the right-hand side of a fit.
struct EncodedTargets {
  std::vector<Index> labeled;  // n samples
  Matrix y;                    // n × C: one-hot rows, or targets less their mean
  Decision decision;
};

// Throws ValueError where no sample is labelled, or all of one class.
EncodedTargets encode_targets(const Labels& labels, bool intercept = true);

struct Predictions {
  Matrix scores;                   // M × C: f per class, or the predicted targets
  std::vector<char> evidence;      // 0 where nothing known reaches the sample: f = 0
  std::vector<Index> class_index;  // the class answered; empty for targets
};

// `f` as fitted. |f| at or below `floor` in every column counts as no evidence: rounding, not
// signal.
Predictions decide(const Decision& decision, Matrix f, double floor);

// The floor for decide: far below any signal of the fitted values, far above their rounding.
double evidence_floor(ConstMatrixRef fitted);

}  // namespace stkr
