#pragma once

#include "stkr/inference/fitted_system.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

// Lower and upper ends of intervals for targets, one row per sample.
struct Intervals {
  Matrix lower;
  Matrix upper;
};

// The largest coverage that intervals from n labels can promise: n/(n + 1) for each end together.
double largest_interval_coverage(Index labels);

// Jackknife+ intervals (Barber, Candès, Ramdas and Tibshirani 2021) for the targets of known
// samples, from leave-one-out in closed form: quantiles of f_{-i}(x) ± |R_i| over the labels i,
// where f_{-i} is the fit without label i and R_i what it misses there. If labeled and other
// samples are drawn alike, they contain the target with probability at least 2·coverage - 1, and
// usually about `coverage`. Throws ValueError for classes, and ParameterError for a coverage that
// so few labels cannot give.
Intervals jackknife_intervals(const FittedSystem& system, std::span<const Index> samples,
                              double coverage, const Context& context = {});
// The same for new samples.
Intervals jackknife_intervals(const FittedSystem& system, const NewSamples& samples,
                              double coverage, const Context& context = {});

// The simpler f(x) ± quantile of |R_i| from the residuals alone (the jackknife), for a model
// without its system.
Intervals residual_intervals(ConstMatrixRef predictions, ConstMatrixRef residuals, double coverage);

}  // namespace stkr
