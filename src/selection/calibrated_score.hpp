#pragma once

#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

// How well held-out scores predict classes, smooth where the share of correct ones ties: the log
// likelihood of the classes under softmax(log π + τ g), with the temperature τ that maximizes
//   Σ_i log p_i(y_i) - (τ·scale/4)²/2.
// The last term keeps τ finite where a handful of samples are separated; `scale` is the root mean
// square of g over unlabeled samples, so that the result does not depend on the units of g.
struct CalibratedScore {
  double log_likelihood = 0.0;  // penalized
  double temperature = 0.0;     // τ
};

// `g` has a row of centered scores for each held-out sample, without the sample's own label;
// `classes` are their classes, `shares` π.
CalibratedScore calibrated_score(ConstMatrixRef g, const std::vector<Index>& classes,
                                 const Vector& shares, double scale);

}  // namespace stkr
