#pragma once

#include <vector>

#include "stkr/inference/fitted_system.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

// What a new label should reduce most.
enum class SuggestionCriterion {
  error,     // the expected number of wrong classes; of numbers, the same as `variance`
  variance,  // the sum of the variances of f over all samples (V-optimality)
  survey,    // the variance of the sum of f over all samples (Σ-optimality)
};

struct SuggestOptions {
  Index count = 10;
  SuggestionCriterion criterion = SuggestionCriterion::error;
  // Prefer samples whose predicted class has few labels and suggestions so far.
  bool balance = true;
  Index exact_size = 3000;  // samples up to which every candidate's column is computed
  Index shortlist = 32;     // else so many candidates per suggestion, found by an estimate
  Index probes = 64;        // of that estimate
};

// What is predicted so far, for every sample. Either may be empty: not known.
struct PresentPredictions {
  std::vector<Index> classes;  // the predicted class, for `balance`
  Vector doubt;                // probability that it is wrong, for the criterion `error`
};

// The same from predictions for the fitted samples; `doubt` is empty unless the decision is
// calibrated.
PresentPredictions present_predictions(const Decision& decision, const Predictions& fitted);

struct Suggestion {
  Index sample = 0;
  double reduction = 0.0;  // of the criterion, as a share of what it was before any suggestion
  double variance = 0.0;   // of f at the sample, given the labels and the suggestions before it
  Index predicted = -1;    // its predicted class; -1 for numbers
};

// Which samples to label next, the best first: each reduces the criterion most given all labels and
// the suggestions before it, whatever their labels turn out to be,
//   argmax_x Σ_j w_j C_jx²/(C_xx + σ_x²) or (1ᵀC_x)²/(C_xx + σ²), C = K̂_s - K̂_s,n A⁻¹ K̂_s,nᵀ.
// `variance` and `survey` have w = 1 and the transform and ridge of the largest weight.
//
// `error` counts variances relative to those without any label, w_j = doubt_j/K̂_s(x_j, x_j): on a
// graph, K̂_s(x, x) grows with the degree and with the isolation of a sample, neither of which says
// how often its class is wrong. Doubt turns variance into errors. Of sparse grams, which are
// graphs, s is the inverse Laplacian with η = 0.999/λ₁, whose leading eigenvectors make a component
// without labels as uncertain as can be, so that it is worth a label in proportion to its size; the
// noise is 1 % of K̂_s(x, x). Other grams have the transform and ridge of the largest weight.
//
// Columns C_x are exact; if samples are many, random functions with covariance C decide which
// candidates get one, and estimate K̂_s(x_j, x_j) in w. Deterministic by context.seed.
std::vector<Suggestion> suggest(const FittedSystem& system,
                                const PresentPredictions& predictions = {},
                                const SuggestOptions& options = {}, const Context& context = {});

}  // namespace stkr
