#pragma once

#include "stkr/estimator/decision.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

// b for which argmax_c (scores_ic + b_c) gives each class its share of the rows, up to one row in a
// thousand. Coordinate descent on the dual of the assignment problem: each class in turn gets the
// offset with which it wins exactly its share. `start`: offsets of a similar problem; empty: 0.
// `rows`: scores are those of this process.
Vector volume_offsets(ConstMatrixRef scores, const Vector& shares, Vector start = {},
                      const SharedRows* rows = nullptr);

// Predictions with known class sizes on a walk, after PoissonMBO (Calder, Cook, Thorpe and Slepčev
// 2020): decide with volume_offsets, let the decisions walk ten steps (labels keep their class),
// and repeat. Replaces f by the last S^10 U, so that new samples are predicted too, and sets the
// factors of `decision`. Samples without evidence have no part in it.
//
// Needs classes, a prior, and a sparse gram with K ≥ 0 and a known leading eigenspace; returns
// false and changes nothing otherwise.
bool decide_by_volume(const GramOperator& gram, const EncodedTargets& targets, Fit& fit,
                      ClassDecision& decision, const Context& context = {});

}  // namespace stkr
