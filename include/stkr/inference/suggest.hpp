#pragma once

#include <vector>

#include "stkr/inference/fitted_system.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

// What a new label should reduce most.
enum class SuggestionCriterion {
  variance,  // the sum of the variances of f over all samples (V-optimality)
  survey,    // the variance of the sum of f over all samples (Σ-optimality)
};

struct SuggestOptions {
  Index count = 10;
  SuggestionCriterion criterion = SuggestionCriterion::variance;
  // Prefer samples whose predicted class has few labels and suggestions so far.
  bool balance = true;
  Index exact_size = 3000;  // samples up to which every candidate's column is computed
  Index shortlist = 32;     // else so many candidates per suggestion, found by an estimate
  Index probes = 64;        // of that estimate
};

struct Suggestion {
  Index sample = 0;
  double reduction = 0.0;  // of the criterion, as a share of what it was before any suggestion
  double variance = 0.0;   // of f at the sample, given the labels and the suggestions before it
  Index predicted = -1;    // its predicted class; -1 for numbers
};

// Which samples to label next, the best first: each minimizes the expected error given all labels
// and the suggestions before it, whatever their labels turn out to be,
//   argmax_x ‖C_x‖²/(C_xx + σ²) or (1ᵀC_x)²/(C_xx + σ²), C = K̂_s - K̂_s,n A⁻¹ K̂_s,nᵀ,
// with the transform and ridge of the largest weight. Columns C_x are exact; which candidates get
// one is decided by random functions with covariance C if samples are many. `classes`: the
// predicted class of every sample, for `balance`; empty: none. Deterministic by context.seed.
std::vector<Suggestion> suggest(const FittedSystem& system, const std::vector<Index>& classes = {},
                                const SuggestOptions& options = {}, const Context& context = {});

}  // namespace stkr
