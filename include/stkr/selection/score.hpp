#pragma once

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

// The score of predictions for `samples`, whose labels are in `truth` (samples without one are
// skipped; NaN where none is left). Classes without a sample here do not count in the means over
// classes.
double evaluate(Score score, const Predictions& predictions, const Labels& truth,
                std::span<const Index> samples);

}  // namespace stkr
