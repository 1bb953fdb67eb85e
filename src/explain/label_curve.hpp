#pragma once

#include "runtime/random.hpp"
#include "stkr/estimator/decision.hpp"
#include "stkr/explain/explain.hpp"

namespace stkr {

// How the error falls with the number of labels, by n × n algebra alone: fits to a quarter and to
// half of the labels, scored on the others, and to all but one. Labels are divided at random into
// parts of equal size `divisions` times; every label is left out in every division.
// `left_out`: the errors of every label with a fit to all others; `scored`: the labels that count.
LearningCurve label_curve(const Matrix& g, const EncodedTargets& targets, double ridge,
                          const Vector& left_out, double variance, const std::vector<Index>& scored,
                          Index divisions, Random& random);

}  // namespace stkr
