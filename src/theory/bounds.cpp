#include "stkr/theory/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stkr/error.hpp"
#include "theory/bound_parts.hpp"

namespace stkr {

using namespace theory;

namespace {

// d/dλ(s/λ) at λ_max times κ⁴/√(n+m) (2 + √(2 log 1/δ)), the gap of lem:approx-2.
double kernel_gap(const ApproximationInputs& inputs) {
  const double samples = static_cast<double>(inputs.n + inputs.m);
  return quotient_derivative(inputs.transform, inputs.lambda) * inputs.kappa_squared *
         inputs.kappa_squared / std::sqrt(samples) * deviation_factor(inputs.delta);
}

// Inputs, assumptions and probability of lem:approx-2 and of what follows from it.
Bound from_kernel_gap(const char* who, const ApproximationInputs& inputs) {
  check_positive(who, "κ²", inputs.kappa_squared);
  check_positive(who, "λ_max", inputs.lambda);
  check_positive(who, "n + m", static_cast<double>(inputs.n + inputs.m));
  check_probability(who, inputs.delta);
  Bound bound;
  bound.inputs = {{"n", static_cast<double>(inputs.n)},
                  {"m", static_cast<double>(inputs.m)},
                  {"κ²", inputs.kappa_squared},
                  {"λ_max", inputs.lambda},
                  {"s(λ_max)", inputs.transform(inputs.lambda)},
                  {"d/dλ s(λ)/λ at λ_max", quotient_derivative(inputs.transform, inputs.lambda)},
                  {"δ", inputs.delta}};
  const PowerSeriesCheck series = has_power_series(inputs.transform, inputs.lambda);
  bound.assumptions = {
      {"s(λ) = Σ π_p λ^p with π_p >= 0 (ass:analytic)", series.holds, series.reason},
      bounded_kernel(inputs.facts, inputs.kappa_squared),
      independent_samples(inputs.facts)};
  bound.probability = 1.0 - inputs.delta;
  return bound;
}

// Beyond a pole of s the derivative is infinite, and so is the bound, whatever the sign of s.
double scaled_gap(double factor, const ApproximationInputs& inputs) {
  const double gap = kernel_gap(inputs);
  return std::isfinite(gap) ? factor * gap : std::numeric_limits<double>::infinity();
}

}  // namespace

bool Bound::vacuous() const {
  if (!(probability > 0.0)) return true;
  return lower ? !(value > trivial) : !(value < trivial);
}

std::optional<bool> Bound::applies() const {
  std::optional<bool> all = true;
  for (const Assumption& assumption : assumptions) {
    if (assumption.holds == false) return false;
    if (!assumption.holds) all = std::nullopt;
  }
  return all;
}

std::string Bound::verdict() const {
  if (applies() == false) {
    for (const Assumption& assumption : assumptions) {
      if (assumption.holds != false) continue;
      return fmt::format("{} does not apply: {}: {}.", name, assumption.name, assumption.reason);
    }
  }
  if (!(probability > 0.0)) {
    return fmt::format(
        "{} says nothing: it holds with probability at least {:g}; choose a larger τ.", name,
        probability);
  }
  const char* constant = constant_unknown ? " (up to an unknown constant)" : "";
  if (vacuous()) {
    return fmt::format("{} is vacuous here: its bound {:.3g}{} on {} is not {} {:.3g}, {}.", name,
                       value, constant, quantity, lower ? "above" : "below", trivial, trivial_name);
  }
  return fmt::format("{}: with probability at least {:g}, {} is {} {:.3g}{}; {} is {:.3g}.", name,
                     probability, quantity, lower ? "at least" : "at most", value, constant,
                     trivial_name, trivial);
}

Bound estimation_bound(const EstimationInputs& inputs) {
  check_estimation("thm:est", inputs);
  Bound bound;
  bound.name = "Theorem 2";
  bound.label = "thm:est";
  bound.quantity = "‖f̃ - f*‖²_P";
  bound.constant_unknown = true;
  bound.value =
      inputs.tau * inputs.tau * inputs.kappa_squared * inputs.slope * rate_bracket(inputs);
  bound.inputs = {{"n", static_cast<double>(inputs.n)},
                  {"p", inputs.p},
                  {"τ", inputs.tau},
                  {"κ²", inputs.kappa_squared},
                  {"M", inputs.slope},
                  {"ε", inputs.epsilon},
                  {"B", inputs.scale_b},
                  {"σ", inputs.sigma},
                  {"L", inputs.moment_l}};
  const double least_tau = 1.0 / std::sqrt(inputs.kappa_squared * inputs.slope);
  bound.assumptions = {
      bounded_kernel(inputs.facts, inputs.kappa_squared),
      smooth_target(inputs.facts),
      bounded_moments(inputs.facts),
      stated(fmt::format("s(λ_i) = O(i^(-1/p)) with p = {:g}", inputs.p), inputs.facts.decay),
      checked("τ >= 1/(κ √M)", inputs.tau >= least_tau,
              fmt::format("τ = {:g}, 1/(κ √M) = {:g}", inputs.tau, least_tau)),
      independent_samples(inputs.facts),
      large_enough(inputs.n)};
  bound.probability = 1.0 - 4.0 * std::exp(-inputs.tau);
  bound.trivial = inputs.scale_b * inputs.scale_b;
  bound.trivial_name = "the largest mean square of f*, B²";
  return bound;
}

Bound approximation_bound(const ApproximationInputs& inputs) {
  check_positive("thm:approx", "β_n", inputs.beta);
  check_positive("thm:approx", "n", static_cast<double>(inputs.n));
  Bound bound = from_kernel_gap("thm:approx", inputs);
  bound.name = "Theorem 3";
  bound.label = "thm:approx";
  bound.quantity = "‖f̂ - f̃‖²_P";
  const double s = inputs.transform(inputs.lambda);
  bound.value = scaled_gap(8.0 * s / (inputs.beta * inputs.beta) * inputs.mean_square_y, inputs);
  bound.inputs.push_back({"β_n", inputs.beta});
  bound.inputs.push_back({"‖y‖²/n", inputs.mean_square_y});
  bound.trivial = inputs.mean_square_y;
  bound.trivial_name = "the mean square of y";
  return bound;
}

Bound agnostic_laplacian_bound(EstimationInputs inputs, double own_slope) {
  check_estimation("prop:agnostic-lap", inputs);
  check_positive("prop:agnostic-lap", "M of the inverse Laplacian", own_slope);
  const double other_slope = inputs.slope;
  inputs.epsilon *= other_slope;  // ε → Mε
  inputs.slope = own_slope;
  Bound bound = estimation_bound(inputs);
  bound.name = "Proposition 3";
  bound.label = "prop:agnostic-lap";
  bound.inputs.push_back({"M of s*", other_slope});
  return bound;
}

Bound largest_eigenvalue_bound(double lambda_1, Index samples, double kappa_squared, double delta,
                               const TheoryFacts& facts) {
  check_positive("lem:hat-lambda-bound", "λ₁", lambda_1);
  check_positive("lem:hat-lambda-bound", "n + m", static_cast<double>(samples));
  check_positive("lem:hat-lambda-bound", "κ²", kappa_squared);
  check_probability("lem:hat-lambda-bound", delta);
  const double count = static_cast<double>(samples);
  Bound bound;
  bound.name = "Lemma on λ̂₁";
  bound.label = "lem:hat-lambda-bound";
  bound.quantity = "λ̂₁";
  bound.value = lambda_1 + kappa_squared / std::sqrt(count) *
                               (2.0 * std::sqrt(2.0) +
                                std::sqrt(19.0 * std::log(2.0 * (count + 1.0) / delta)));
  bound.inputs = {{"λ₁", lambda_1}, {"n + m", count}, {"κ²", kappa_squared}, {"δ", delta}};
  bound.assumptions = {bounded_kernel(facts, kappa_squared), independent_samples(facts)};
  bound.probability = 1.0 - delta;
  bound.trivial = kappa_squared;  // λ̂₁ is at most the mean of K(x_i, x_i)
  bound.trivial_name = "κ²";
  return bound;
}

Bound kernel_gap_bound(const ApproximationInputs& inputs) {
  Bound bound = from_kernel_gap("lem:approx-2", inputs);
  bound.name = "Lemma on the gap of K̂_s";
  bound.label = "lem:approx-2";
  bound.quantity = "|K̂_s(x, x_j) - K_s(x, x_j)|";
  bound.value = scaled_gap(1.0, inputs);
  // Both are inner products of vectors of squared length at most κ² s(λ_max)/λ_max.
  bound.trivial = 2.0 * inputs.kappa_squared * inputs.transform(inputs.lambda) / inputs.lambda;
  bound.trivial_name = "the range of both kernels, 2κ² s(λ_max)/λ_max";
  return bound;
}

Bound inner_product_gap_bound(const ApproximationInputs& inputs) {
  Bound bound = from_kernel_gap("cor:lem-approx-2-square", inputs);
  const double s = inputs.transform(inputs.lambda);
  bound.name = "Corollary on inner products";
  bound.label = "cor:lem-approx-2-square";
  bound.quantity = "the gap of the inner products of K̂_s and K_s";
  bound.value = scaled_gap(2.0 * s, inputs);
  bound.trivial = 4.0 * inputs.kappa_squared * s * s / inputs.lambda;
  bound.trivial_name = "the range of the inner products, 4κ² s(λ_max)²/λ_max";
  return bound;
}

double theory_beta(Index n, double p, double c) {
  check_positive("β_n", "n", static_cast<double>(n));
  check_positive("β_n", "p", p);
  check_positive("β_n", "c", c);
  return c * std::pow(static_cast<double>(n), -1.0 / (1.0 + p));
}

double needed_unlabeled(Index n, double p) {
  check_positive("m = ω(n^(4/(1+p)))", "n", static_cast<double>(n));
  check_positive("m = ω(n^(4/(1+p)))", "p", p);
  return std::pow(static_cast<double>(n), 4.0 / (1.0 + p));
}

}  // namespace stkr
