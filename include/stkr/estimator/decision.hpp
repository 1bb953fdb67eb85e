#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stkr/dataset/labels.hpp"
#include "stkr/estimator/calibration.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// Turns scores into class predictions: the class with the largest score, or, without evidence, the
// class with the largest prior. Ties in the prior are broken by the nearest labeled sample's class.
struct ClassDecision {
  std::vector<std::string> names;
  Vector prior;                  // class shares: among the labeled samples (smoothed), or as given
  Vector factors{};              // for positive scores (estimator/class_mass); empty: none
  std::vector<Index> labeled{};  // the labeled samples
  std::vector<Index> classes{};  // their classes
  bool boolean = false;          // ClassLabels::boolean
  // How scores become probabilities; none: as class_probabilities describes, not calibrated.
  std::optional<Calibration> calibration{};
};

// The same for regression: a constant is added to every prediction, either the free b of eqn:ridge
// or the mean of the labeled targets. It is also the prediction for samples without evidence.
struct TargetDecision {
  std::vector<std::string> names;
  Vector mean;                   // zero if no intercept is requested
  std::vector<Index> labeled{};  // the labeled samples; empty in models of version 0.1
  // What is left of each target after the prediction of a fit to the others: n × C; empty: unknown.
  Matrix left_out_residuals{};
};

using Decision = std::variant<ClassDecision, TargetDecision>;

// Options for turning scores into predictions, for classes only.
struct DecisionOptions {
  bool class_mass = false;      // class-mass normalization
  bool uniform_prior = false;   // all classes that have a label are equally frequent
  std::vector<double> prior{};  // class shares in the order of the names, up to a factor
  // `prior` holds the class sizes, and predictions have them too: on walks by
  // estimator/volume_decision, with other kernels by class mass. Selection scores without it.
  bool by_volume = false;
  bool intercept = true;  // regression: fit a constant
};

// Labels as the right-hand side of a fit.
struct EncodedTargets {
  std::vector<Index> labeled;  // n samples
  Matrix y;                    // n × C: one-hot rows, or targets less their mean
  bool constant = false;       // whether a free constant is fitted as well
  Decision decision;
};

// Throws ValueError if no sample is labeled, if all labels are one class, if the prior does not
// match the classes, or if a prior is given for regression. The class-mass factors are not set yet:
// they need scores.
EncodedTargets encode_targets(const Labels& labels, const DecisionOptions& options = {});

// Adds the class-mass factors computed from f at unlabeled samples; samples without evidence are
// ignored.
Decision with_class_mass(Decision decision, Matrix f, const std::vector<char>& evidence);

// Adds a fitted constant to the decision; for regression only.
Decision with_constant(Decision decision, const Vector& constant);

struct Predictions {
  Matrix scores;                   // M × C: f times factors, or the predicted targets
  std::vector<char> evidence;      // 0 if no label reaches the sample (estimator/evidence)
  std::vector<Index> class_index;  // the predicted class; empty for regression
  // Classes: 1 if the sample has no evidence, several classes are the most frequent, and no
  // distance tells which labeled sample is nearest. The prediction is then the first of these
  // classes.
  std::vector<char> tied;
};

// For some rows of f, returns which of ClassDecision::labeled is nearest to each; nullopt if no
// distance is known. Called only for rows whose prediction depends on it.
using NearestLabeled =
    std::function<std::optional<std::vector<Index>>(const std::vector<Index>& rows)>;

// `f` as fitted; `evidence` says which rows have evidence.
Predictions decide(const Decision& decision, Matrix f, std::vector<char> evidence,
                   const NearestLabeled& nearest = {});

}  // namespace stkr
