#pragma once

#include "explain/explained_problem.hpp"
#include "stkr/explain/explain.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// How the error falls with the number of unlabeled samples: fits with all labels and with none, a
// quarter, a half and all of the unlabeled samples, scored by leaving every label out. The gram of
// each subset is built anew: a neighbor graph joins what is left, a given graph loses edges with
// its nodes. `left_out`: the errors of every label with all samples.
LearningCurve sample_curve(const Dataset& dataset, const Specification& spec,
                           const SpectralTransform& transform, double largest, double ridge,
                           const Vector& left_out, double variance,
                           const std::vector<Index>& scored, Index draws, const Context& context);

}  // namespace stkr
