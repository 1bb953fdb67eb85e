#pragma once

#include <vector>

#include "stkr/estimator/decision.hpp"

namespace stkr {

// z of a row of scores in a form (Calibration), with maximum 0; `size`: the usual length of g.
Eigen::RowVectorXd exponents(Calibration::Form form, double parameter, double size,
                             const Eigen::RowVectorXd& scores);

// exp of the mean logarithm of the lengths of centered rows; 0 if all are 0.
double usual_size(const Matrix& scores);

// The posterior of forms and temperatures given scores of samples without their own label, and
// their classes, as members of an average. Their weights add up to 1 less that of the prior. Empty
// if the scores say nothing.
std::vector<Calibration::Member> calibration_members(const Matrix& scores,
                                                     const std::vector<Index>& classes,
                                                     const Vector& prior, double size);

}  // namespace stkr
