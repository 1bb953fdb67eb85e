#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stkr/estimator/fit.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// How many steps along K > 0 separate a label from the samples that it influences.
struct ReachSteps {
  std::vector<int> exactly{};  // the powers of a polynomial s; empty: any number
};
ReachSteps reach_steps(const SpectralTransform& transform);

// `fitted` holds f at the N samples. `first_step` is S times the indicator of the labeled samples,
// if the caller has computed it.
Evidence evidence_of(const GramOperator& gram, std::span<const Index> labeled,
                     const ReachSteps& steps, ConstMatrixRef fitted,
                     const Matrix* first_step = nullptr);

// A small fraction of the largest |f| at the labeled samples; below it, rounding dominates.
double evidence_floor(ConstMatrixRef f_labeled);

// Evidence::floor if evidence is by reach: `floor` with eigenvectors, which vanish only up to
// rounding; negative with a free constant, because f = 0 is then a valid prediction; otherwise 0.
double floor_by_reach(bool eigenvectors, bool constant, double floor);

// The same rule for rows of a transformed kernel at the labels, without a gram: if zeros are exact,
// a label of `labels` (columns) reaches a row whose entry is nonzero.
std::vector<char> evidence_of_rows(ConstMatrixRef kernel, std::span<const Index> labels,
                                   ConstMatrixRef f, bool exact_zeros, double floor,
                                   double reach_floor);

}  // namespace stkr
