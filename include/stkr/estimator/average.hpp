#pragma once

#include <span>
#include <vector>

#include "stkr/estimator/stkr.hpp"

namespace stkr {

// f = Σ w_k f_k/Σ w_k over fits of fit_stkr with different transforms and ridges. As all have the
// form f(x) = Σ_i K(x, x_i) c_i, the average has one coefficient block c, and predictions cost the
// same as those of one fit. Each transform forms its n × n system once for all ridges; `options`
// gives everything but the transform and the ridge. Throws ValueError for an empty list, weights or
// ridges that are not positive, sample or label weights, and more than
// options.execution.most_direct labels.
Fit fit_average(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                const std::vector<AverageTerm>& terms, const StkrOptions& options = {},
                const Context& context = {});

// f_{-i}(x_i) for every labeled i, where f_{-i} is the same average fitted to the labels of the
// others: n × C, with its constant, in the units of y. In closed form (RidgePath::leave_one_out),
// at the cost of forming the n × n system of every term. Throws as fit_average does.
Matrix leave_one_out(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                     const std::vector<AverageTerm>& terms, const StkrOptions& options = {},
                     const Context& context = {});

}  // namespace stkr
