#pragma once

#include <vector>

#include "stkr/estimator/decision.hpp"

namespace stkr {

// Class probabilities, one row per sample: each class's share of the positive scores, which
// estimate class indicators up to a factor. For two classes, 1/2 + (f_1 - f_0)/(2|f_0| + 2|f_1|)
// is the share of the second, so that negative scores count as well. A row without a positive score
// is projected to the nearest distribution; a row without evidence gets the prior. Not calibrated.
Matrix class_probabilities(ConstMatrixRef scores, const std::vector<char>& evidence,
                           const Vector& prior);

// Calibrated if the decision is (estimator/calibration); a row without evidence gets the prior.
Matrix class_probabilities(const ClassDecision& decision, const Predictions& predictions);

}  // namespace stkr
