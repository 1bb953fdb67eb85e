#pragma once

#include <string>
#include <variant>
#include <vector>

#include "stkr/dataset/labels.hpp"
#include "stkr/linop/matrix.hpp"

namespace stkr {

// How scores become answers for classes: the largest score, or the class with the largest prior
// where there is no evidence.
struct ClassDecision {
  std::vector<std::string> names;
  Vector prior;      // share of each class: among the labelled samples (smoothed), or as given
  Vector factors{};  // of positive scores (estimator/class_mass); empty: none
};

// The same for numbers: the mean of the labelled targets was taken off before fitting and is added
// to every prediction, so that it is also the answer where there is no evidence.
struct TargetDecision {
  std::vector<std::string> names;
  Vector mean;  // zero where no intercept was asked for
};

using Decision = std::variant<ClassDecision, TargetDecision>;

// What scores are made into answers with, besides the labels. For classes only.
struct DecisionOptions {
  bool class_mass = false;      // class-mass normalisation
  bool uniform_prior = false;   // every class with a label is as frequent as the others
  std::vector<double> prior{};  // share of each class in the order of their names, up to a factor
};

// Labels as the right-hand side of a fit.
struct EncodedTargets {
  std::vector<Index> labeled;  // n samples
  Matrix y;                    // n × C: one-hot rows, or targets less their mean
  Decision decision;
};

// Throws ValueError where no sample is labelled, or all of one class; and where the prior does not
// fit the classes, or there are none to have one. The factors are not yet there: they need scores.
EncodedTargets encode_targets(const Labels& labels, bool intercept = true,
                              const DecisionOptions& options = {});

// The decision with the factors of class-mass normalisation from f at unlabelled samples.
Decision with_class_mass(Decision decision, ConstMatrixRef f, double floor);

struct Predictions {
  Matrix scores;                   // M × C: what is decided upon, f times factors; or the targets
  std::vector<char> evidence;      // 0 where nothing known reaches the sample: f = 0
  std::vector<Index> class_index;  // the class answered; empty for targets
};

// `f` as fitted. |f| at or below `floor` in every column counts as no evidence: rounding, not
// signal.
Predictions decide(const Decision& decision, Matrix f, double floor);

// The floor for decide: far below any signal of the fitted values, far above their rounding.
double evidence_floor(ConstMatrixRef fitted);

}  // namespace stkr
