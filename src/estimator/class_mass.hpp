#pragma once

#include "stkr/linop/shared_rows.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// Class-mass normalization (Zhu, Ghahramani & Lafferty 2003, Section 4): computes one factor w_c >
// 0 per class from the scores f of unlabeled samples alone, so that the class shares approach
// `prior`. The paper sets w_c = prior_c / Σ_i f_ic. Here every sample has the same weight, whatever
// the size of its scores: with p_ic = (w_c f_ic)^(1/T) / Σ_k (w_k f_ik)^(1/T), where negative
// scores count as 0, the w are scaled to bring the mean of p_ic over the samples to prior_c. With a
// small T, p_ic is nearly 0 or 1, and its mean is nearly the share of samples predicted as class c.
// The scaling stops after a fixed number of steps, before it reaches a distant prior: the prior is
// a guess, and trusting it only partly measured better (docs/class-predictions.md).
//
// New samples use the same factors. A class without a positive score has factor 1 and is left out
// of the prior; rows with |f| ≤ floor in every column are ignored. The geometric mean of the
// factors is 1. Throws ShapeError unless f has one column per class.
// `rows`: f has those of this process.
Vector class_mass_factors(ConstMatrixRef f, const Vector& prior, double floor,
                          const SharedRows* rows = nullptr);

// Shares among `count` labeled samples, with one sample added per class that has a label (Laplace):
// ten labels say little about class frequencies.
Vector smoothed_prior(const Vector& share, Index count);

}  // namespace stkr
