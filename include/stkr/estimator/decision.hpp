#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stkr/dataset/labels.hpp"
#include "stkr/linop/shared_rows.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// How scores become probabilities, and which classes are plausible: learned from scores of labeled
// samples that did not see their own label, so that no label has to be set aside.
//
// Probabilities are an average of softmax(τ z) over forms of z and over τ, with the weights that
// labels left out give them (their posterior), and of the prior. Forms differ in how much the size
// of the scores counts: not at all far from the labels of a graph, fully for many kernels. The
// class with the largest score has the largest probability.
struct Calibration {
  // z of a row of scores f; g: the centered row, s: the usual length of g, a: the parameter.
  enum class Form {
    power,      // z = g/|g| (|g|/s)^a
    logarithm,  // z = log(1 + f₊/(a s)), and hardly falling for negative scores
    shares,     // logarithms of the shares of the positive scores; in earlier models
  };
  struct Member {
    Form form = Form::power;
    double parameter = 0.0;
    double temperature = 1.0;  // τ
    double weight = 1.0;

    bool operator==(const Member&) const = default;
  };
  std::vector<Member> members{};
  double size = 1.0;            // s
  std::vector<double> prior{};  // weighs what members leave of 1
  // Probabilities of samples that no label reaches, from the labels that no other label reaches;
  // empty: the prior.
  std::vector<double> unreached{};
  std::vector<double> conformity{};  // of each label left out: its probability; ascending

  bool operator==(const Calibration&) const = default;
};

// `left_out`: a row of scores for each labeled sample, from a fit to the labels of the others, 0 if
// they do not reach it; `classes`: their classes. None if there are fewer than two, or if the
// scores are all 0.
std::optional<Calibration> calibrate(ConstMatrixRef left_out, const std::vector<Index>& classes,
                                     const Vector& prior);

// One row of probabilities per row of scores.
Matrix calibrated(const Calibration& calibration, ConstMatrixRef scores);

// The largest coverage that n labels can promise: n/(n + 1).
double largest_coverage(const Calibration& calibration);

// Conformal prediction sets: the classes c of each row that labels do not rule out at this
// coverage: (1 + #{i: p_i ≤ p_c})/(n + 1) > 1 - coverage, where p_i are the probabilities of the
// labels left out. If labeled and other samples are drawn alike, sets contain the right class with
// at least this probability, up to the effect of one label on a fit. A set may be empty: no class
// is plausible at this coverage. Throws ParameterError unless 0 < coverage ≤ largest_coverage().
std::vector<std::vector<Index>> prediction_sets(const Calibration& calibration,
                                                ConstMatrixRef probabilities, double coverage);

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

// The same if several processes share the samples: `labels` are those of this process's rows, the
// result is that of all samples and equal in every process. Called by all of them.
EncodedTargets encode_targets(const Labels& labels, const DecisionOptions& options,
                              const SharedRows* rows);

// Adds the class-mass factors computed from f at unlabeled samples; samples without evidence are
// ignored.
Decision with_class_mass(Decision decision, Matrix f, const std::vector<char>& evidence,
                         const SharedRows* rows = nullptr);

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

// Class probabilities, one row per sample: each class's share of the positive scores, which
// estimate class indicators up to a factor. For two classes, 1/2 + (f_1 - f_0)/(2|f_0| + 2|f_1|)
// is the share of the second, so that negative scores count as well. A row without a positive score
// is projected to the nearest distribution; a row without evidence gets the prior. Not calibrated.
Matrix class_probabilities(ConstMatrixRef scores, const std::vector<char>& evidence,
                           const Vector& prior);

// Calibrated if the decision is (estimator/calibration). A row without evidence gets the prior, or,
// calibrated, what labels that no other label reaches say.
Matrix class_probabilities(const ClassDecision& decision, const Predictions& predictions);

}  // namespace stkr
