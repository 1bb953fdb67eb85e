#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stkr/dataset/labels.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// How scores become answers for classes: the largest score, or the class with the largest prior
// where there is no evidence; where several have that, the class of the nearest labeled sample.
struct ClassDecision {
  std::vector<std::string> names;
  Vector prior;      // share of each class: among the labeled samples (smoothed), or as given
  Vector factors{};  // of positive scores (estimator/class_mass); empty: none
  std::vector<Index> labeled{};  // the labeled samples
  std::vector<Index> classes{};  // and their classes
  bool boolean = false;          // ClassLabels::boolean
};

// The same for numbers: a constant is added to every prediction, the free b of eqn:ridge or the
// mean of the labeled targets. It is also the answer where there is no evidence.
struct TargetDecision {
  std::vector<std::string> names;
  Vector mean;  // zero where no intercept was asked for
};

using Decision = std::variant<ClassDecision, TargetDecision>;

// What scores are made into answers with, besides the labels. For classes only.
struct DecisionOptions {
  bool class_mass = false;      // class-mass normalization
  bool uniform_prior = false;   // every class with a label is as frequent as the others
  std::vector<double> prior{};  // share of each class in the order of their names, up to a factor
};

// Labels as the right-hand side of a fit.
struct EncodedTargets {
  std::vector<Index> labeled;  // n samples
  Matrix y;                    // n × C: one-hot rows, or targets less their mean
  bool constant = false;       // whether a free constant is fitted beside y
  Decision decision;
};

// Throws ValueError where no sample is labeled, or all of one class; and where the prior does not
// fit the classes, or there are none to have one. The factors are not yet there: they need scores.
EncodedTargets encode_targets(const Labels& labels, bool intercept = true,
                              const DecisionOptions& options = {});

// The decision with the factors of class-mass normalization from f at unlabeled samples; those
// without evidence say nothing.
Decision with_class_mass(Decision decision, Matrix f, const std::vector<char>& evidence);

// The decision with a fitted constant added; for numbers only.
Decision with_constant(Decision decision, const Vector& constant);

struct Predictions {
  Matrix scores;                   // M × C: what is decided upon, f times factors; or the targets
  std::vector<char> evidence;      // 0 where no label reaches the sample (estimator/evidence)
  std::vector<Index> class_index;  // the class answered; empty for targets
  // Classes: 1 where there is no evidence, several classes are the most frequent, and no distance
  // tells which labeled sample is nearest. The first of them is answered, as good as any.
  std::vector<char> tied;
};

// For some rows of f, which of ClassDecision::labeled is nearest to each; nothing where no distance
// is known. Asked only where it decides.
using NearestLabeled =
    std::function<std::optional<std::vector<Index>>(const std::vector<Index>& rows)>;

// `f` as fitted, and which rows have evidence.
Predictions decide(const Decision& decision, Matrix f, std::vector<char> evidence,
                   const NearestLabeled& nearest = {});

}  // namespace stkr
