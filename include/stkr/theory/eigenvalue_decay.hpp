#pragma once

#include <string>

#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

struct EigenvalueDecayOptions {
  Index exact_below = 1000;  // up to so many samples, all eigenvalues are used
  Index leading = 100;       // else so many
  double floor = 1e-10;      // s(λ_i) below it, relative to s(λ_1), is rounding
};

// The decay s(λ_i) = O(i^(-1/p)) on which the rates of Theorem 2 depend, from a regression of
// log s(λ_i) on log i. p = 1 holds for every kernel of finite trace.
struct EigenvalueDecay {
  double p = 1.0;  // in (0, 1], as in Theorem 2
  // A 95 % confidence interval of the regression, in [0, 1]. Neighboring eigenvalues are not
  // independent, so it says how well a power law describes them, not more.
  double lower = 0.0, upper = 1.0;
  double fitted = 1.0;      // p before it is capped; infinite for a flat spectrum
  bool capped = false;      // the fitted p is above 1
  bool determined = false;  // false: fewer than three eigenvalues are above the floor, p = 1
  double constant = 0.0;    // c of s(λ_i) ≈ c i^(-1/p), before p is capped
  Index used = 0;           // i = 1, ..., used
  double r_squared = 0.0;   // of the regression
  std::string finding{};    // what to know about p, empty if nothing
};

EigenvalueDecay eigenvalue_decay(const GramOperator& gram, const SpectralTransform& transform,
                                 const EigenvalueDecayOptions& options = {},
                                 const Context& context = {});

// The same for given values, in any order.
EigenvalueDecay decay_of(Vector values, double floor = 1e-10);

}  // namespace stkr
