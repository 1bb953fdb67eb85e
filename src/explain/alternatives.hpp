#pragma once

#include <optional>
#include <span>
#include <vector>

#include "explain/explained_problem.hpp"

namespace stkr {

// What a suggested fit is compared with.

// The errors of every label by kernel ridge regression without unlabeled samples, each left out:
// with the kernel itself, with an RBF and with a cosine kernel of the labeled points or node
// features, whichever does best on the labels `scored`.
Vector errors_of_labels_alone(const Dataset& dataset, const ExplainedProblem& problem,
                              double variance, const std::vector<Index>& scored,
                              const Context& context);

// Answers without a kernel, in the form of scores: the most frequent class, or the mean of the
// other targets. Classes are not left out, which would make each the rarest if they are balanced.
Matrix answers_without_fit(const EncodedTargets& targets);

// The share of wrong classes among samples whose labels are in `truth` but were not seen; none for
// numbers, without such samples, or if f is not of all samples.
std::optional<double> hidden_error(const Labels& truth, std::span<const Index> seen,
                                   const Matrix& f, const Vector& constant);

}  // namespace stkr
