#pragma once

#include <optional>
#include <string>

#include "stkr/theory/bounds.hpp"

// What several of the paper's statements have in common.
namespace stkr::theory {

// The assumption with its default reason: known to the caller, or not checkable from numbers.
Assumption stated(std::string name, std::optional<bool> holds);
Assumption checked(std::string name, bool holds, std::string reason);

Assumption independent_samples(const TheoryFacts& facts);
Assumption bounded_kernel(const TheoryFacts& facts, double kappa_squared);
Assumption smooth_target(const TheoryFacts& facts);
Assumption bounded_moments(const TheoryFacts& facts);

// "n is sufficiently large", which no statement makes precise.
Assumption large_enough(Index n);

// 2 + √(2 log(1/δ)): of the uniform deviation bound (eqn:lem-approx-2-rad).
double deviation_factor(double delta);

// The bracket of thm:est and thm:topd-est:
// (εB² + σ²) n^(-1/(1+p)) + max{L², κ²MεB²} n^(-(1+2p)/(1+p)).
double rate_bracket(const EstimationInputs& inputs);

// Throw ValueError and name the input.
void check_positive(const char* who, const char* name, double value);
void check_probability(const char* who, double delta);
void check_estimation(const char* who, const EstimationInputs& inputs);

}  // namespace stkr::theory
