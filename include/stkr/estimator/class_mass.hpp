#pragma once

#include "stkr/matrix.hpp"

namespace stkr {

// Class-mass normalization (Zhu, Ghahramani & Lafferty 2003, Section 4): one factor w_c > 0 for
// each class, from the scores f of unlabeled samples alone, so that classes get what `prior` says
// they should. There w_c = prior_c / Σ_i f_ic. Here every sample counts the same, whatever the size
// of its scores: with p_ic = (w_c f_ic)^(1/T) / Σ_k (w_k f_ik)^(1/T), where negative scores count
// as 0, the w are scaled to bring the mean of p_ic over the samples to prior_c. A small T makes
// p_ic nearly 0 or 1, and the mean the share of samples that are answered with class c. The scaling
// stops after a fixed number of steps, short of a prior that is far away: it is a guess, and not to
// trust it wholly measured better (docs/class-predictions.md).
//
// The factors are kept, so a new sample is decided by the same ones. A class without a positive
// score has factor 1 and is left out of the prior; rows with |f| ≤ floor everywhere say nothing.
// The geometric mean of the factors is 1. Throws ShapeError unless f has a column for each class.
Vector class_mass_factors(ConstMatrixRef f, const Vector& prior, double floor);

// Shares among `count` labeled samples, with one more of each class that is there (Laplace): ten
// labels say little of how frequent classes are.
Vector smoothed_prior(const Vector& share, Index count);

}  // namespace stkr
