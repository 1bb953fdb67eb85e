#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "stkr/dataset/labels.hpp"
#include "stkr/estimator/decision.hpp"

namespace stkr {

enum class Score {
  accuracy,           // share of correct classes
  balanced_accuracy,  // mean recall over classes
  macro_f1,           // mean over classes of F1 = 2TP/(2TP + FP + FN)
  mse,                // mean squared error, averaged over targets
  r2,                 // 1 - squared error / variance, averaged over targets
};
const char* to_string(Score score);  // "accuracy", "balanced-accuracy", "macro-f1", "mse", "r2"
Score score_from_name(const std::string& name);  // throws ValueError if unknown
bool higher_is_better(Score score);              // all except mse

// Throws ValueError if the score is for the other kind of labels.
void check_score(Score score, const Labels& truth);

// How a sample without evidence (f = 0, reached by no label) counts in a score.
enum class NoEvidence {
  // As a guess, for choosing: a grid point with no evidence for most samples must not win because
  // most of them happen to belong to the most frequent class. For classes, 1/C of the sample is
  // predicted as each of the C classes, so it adds 1/C to the accuracy whatever its class. For
  // regression, the squared error is that of the mean of the scored targets, or the prediction's
  // own if that is larger.
  guess,
  prior,        // as predicted: the most frequent class among the labeled samples
  first_class,  // class 0, the argmax over zeros, as in the paper's tables
};

// The score of predictions for `samples`, whose labels are in `truth`. Unlabeled samples are
// skipped; returns NaN if none is left. Classes without a sample do not count in the means over
// classes. Predictions count as they are unless `no_evidence` is guess.
double evaluate(Score score, const Predictions& predictions, const Labels& truth,
                std::span<const Index> samples, NoEvidence no_evidence = NoEvidence::prior);

// A smooth measure of the same predictions, lower is better, to break ties between scores: the
// squared error. For classes, it is the error of the scores converted to shares: negative scores
// count as 0, and a row without positive scores gives equal shares (Brier).
double smooth_loss(const Predictions& predictions, const Labels& truth,
                   std::span<const Index> samples, NoEvidence no_evidence = NoEvidence::prior);

// The value in `outcomes` for a guess at a class.
inline constexpr float kGuess = -1.0F;

// Input of `expected_best` for one grid point: for each sample the predicted class, or the squared
// error of each target; NaN for unlabeled samples.
std::vector<float> outcomes(const Predictions& predictions, const Labels& truth,
                            std::span<const Index> samples,
                            NoEvidence no_evidence = NoEvidence::prior);

// The standard deviation of the score over folds: fold[k] is the fold of the k-th outcome. NaN if
// the score of a fold is not defined, as R² of one sample.
double score_deviation(Score score, const std::vector<float>& outcomes, const Labels& truth,
                       std::span<const Index> samples, std::span<const Index> fold);

// A score of the caller's own; higher is better. Called from several threads at once.
struct OwnScore {
  std::string name{};
  // Of predictions for `samples`, as they are: one without evidence is no guess here.
  std::function<double(const Predictions&, std::span<const Index> samples)> value{};
};
// The standard deviation of such a score over folds. NaN if it throws for one of them, as many do
// if a fold has no sample of a class.
double score_deviation(const OwnScore& score, const Predictions& predictions,
                       std::span<const Index> samples, std::span<const Index> fold);

// The best of many scores on few samples is optimistic. This estimates the score of the chosen
// point on samples not used for choosing (Tsamardinos et al. 2018): the mean score of the best
// point on a bootstrap sample, evaluated on the samples left out. Returns nullopt if there are too
// few samples.
std::optional<double> expected_best(Score score, std::span<const std::vector<float>* const> points,
                                    const Labels& truth, std::span<const Index> samples,
                                    std::uint64_t seed);

}  // namespace stkr
