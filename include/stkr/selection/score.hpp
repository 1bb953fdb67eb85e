#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "stkr/dataset/labels.hpp"
#include "stkr/estimator/decision.hpp"

namespace stkr {

enum class Score {
  accuracy,           // share of samples whose class is right
  balanced_accuracy,  // mean over classes of the share found
  macro_f1,           // mean over classes of F1 = 2TP/(2TP + FP + FN)
  mse,                // mean squared error, averaged over targets
  r2,                 // 1 - squared error / variance, averaged over targets
};
const char* to_string(Score score);  // "accuracy", "balanced-accuracy", "macro-f1", "mse", "r2"
Score score_from_name(const std::string& name);  // ValueError where there is none
bool higher_is_better(Score score);              // all but mse

// Throws ValueError where the score is for the other kind of labels.
void check_score(Score score, const Labels& truth);

// What a sample counts as when nothing known reaches it (f = 0).
enum class NoEvidence {
  // A guess. To choose by: a point of a grid that knows nothing of most samples must not win
  // because
  // most of them happen to be of the most frequent class. For classes each of the C classes is
  // answered by 1/C of the sample, which earns it 1/C of an accuracy whatever its class; for
  // numbers
  // the squared error is that from the mean of the scored targets, or its own where that is more.
  guess,
  prior,        // as it is answered: the most frequent class among the labeled samples
  first_class,  // class 0, as the argmax over zeros has it in the paper's tables
};

// The score of predictions for `samples`, whose labels are in `truth` (samples without one are
// skipped; NaN where none is left). Classes without a sample here do not count in the means over
// classes. Answers are taken as they are unless they are to count as guesses.
double evaluate(Score score, const Predictions& predictions, const Labels& truth,
                std::span<const Index> samples, NoEvidence no_evidence = NoEvidence::prior);

// A smooth measure of the same predictions, lower is better, for points of a grid whose scores are
// equal: the squared error. For classes it is that of the scores made into shares, which have no
// unit: negative ones count as 0, and a row without any says that all classes are alike (Brier).
double smooth_loss(const Predictions& predictions, const Labels& truth,
                   std::span<const Index> samples, NoEvidence no_evidence = NoEvidence::prior);

// What `outcomes` has for a guess at a class.
inline constexpr float kGuess = -1.0F;

// What `expected_best` needs of one grid point: for each sample the class answered, or the squared
// error of each target; NaN where there is no label.
std::vector<float> outcomes(const Predictions& predictions, const Labels& truth,
                            std::span<const Index> samples,
                            NoEvidence no_evidence = NoEvidence::prior);

// The best of many scores on few samples flatters. This is what choosing so can be expected to
// score on samples that did not choose (Tsamardinos et al. 2018): the best point on a bootstrap
// sample is scored on what that sample left out, on average. None where there are too few samples.
std::optional<double> expected_best(Score score, std::span<const std::vector<float>* const> points,
                                    const Labels& truth, std::span<const Index> samples,
                                    std::uint64_t seed);

}  // namespace stkr
