#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "stkr/error.hpp"
#include "stkr/theory/bounds.hpp"
#include "theory/bound_parts.hpp"

namespace stkr {

using namespace theory;

namespace {

constexpr const char* kTopDApprox = "thm:topd-approx";

void check_top_d(const TopDApproximationInputs& inputs) {
  check_positive(kTopDApprox, "d", static_cast<double>(inputs.d));
  check_positive(kTopDApprox, "m", static_cast<double>(inputs.m));
  check_positive(kTopDApprox, "κ²", inputs.kappa_squared);
  check_positive(kTopDApprox, "λ₁", inputs.lambda_1);
  check_positive(kTopDApprox, "M", inputs.slope);
  check_positive(kTopDApprox, "ε", inputs.epsilon);
  check_positive(kTopDApprox, "B", inputs.scale_b);
  check_probability(kTopDApprox, inputs.delta);
  if (!(inputs.lambda_next >= 0.0 && inputs.lambda_next <= inputs.lambda_1)) {
    throw ParameterError(fmt::format("{}: λ_(d+1) = {:g}; expected a number in [0, λ₁ = {:g}]",
                                     kTopDApprox, inputs.lambda_next, inputs.lambda_1));
  }
}

}  // namespace

Bound top_d_lower_bound(const TopDLowerInputs& inputs) {
  check_positive("prop:top-d-lower", "s(λ₁)", inputs.s_first);
  check_positive("prop:top-d-lower", "ε", inputs.epsilon);
  check_positive("prop:top-d-lower", "B", inputs.scale_b);
  if (!(inputs.s_next >= 0.0 && inputs.s_next <= inputs.s_first)) {
    throw ParameterError(
        fmt::format("prop:top-d-lower: s(λ_(d+1)) = {:g}; expected a number in [0, s(λ₁) = {:g}]",
                    inputs.s_next, inputs.s_first));
  }
  const double excess = inputs.s_first * inputs.epsilon - 1.0;
  const double share = inputs.s_next == inputs.s_first
                           ? std::numeric_limits<double>::infinity()
                           : inputs.s_next / (inputs.s_first - inputs.s_next) * excess;
  Bound bound;
  bound.name = "Proposition 4";
  bound.label = "prop:top-d-lower";
  bound.quantity = "the worst-case ‖wᵀΨ̂ - f‖²_P of d functions";
  bound.lower = true;
  bound.value = share * inputs.scale_b * inputs.scale_b;
  bound.inputs = {{"s(λ₁)", inputs.s_first},
                  {"s(λ_(d+1))", inputs.s_next},
                  {"ε", inputs.epsilon},
                  {"B", inputs.scale_b}};
  bound.assumptions = {
      checked("s(λ₁) ε > 1", excess > 0.0, fmt::format("s(λ₁) ε = {:g}", excess + 1.0)),
      checked("s(λ_(d+1))/(s(λ₁) - s(λ_(d+1))) (s(λ₁) ε - 1) <= 1/2", share <= 0.5,
              fmt::format("it is {:g}", share))};
  bound.trivial_name = "the least that a square can be";
  return bound;
}

double top_d_needed_labels(double kappa_squared, double lambda_d, double delta) {
  check_positive("thm:topd-est", "κ²", kappa_squared);
  check_positive("thm:topd-est", "λ̃_d", lambda_d);
  check_probability("thm:topd-est", delta);
  const double factor = 4.0 * kappa_squared / lambda_d * deviation_factor(delta / 2.0);
  return factor * factor;
}

Bound top_d_estimation_bound(const TopDEstimationInputs& inputs) {
  const EstimationInputs& e = inputs.estimation;
  check_estimation("thm:topd-est", e);
  const double needed = top_d_needed_labels(e.kappa_squared, inputs.lambda_d, inputs.delta);
  const double energy = e.epsilon * e.scale_b * e.scale_b;  // εB²
  EstimationInputs projected = e;  // f̃_d has energy MεB² in H_K, whose kernel is bounded by κ²
  projected.epsilon = e.epsilon * e.slope;
  projected.slope = 1.0;
  Bound bound;
  bound.name = "Theorem 5";
  bound.label = "thm:topd-est";
  bound.quantity = "‖f̂_d - f̃_d‖²_P";
  bound.constant_unknown = true;
  bound.value = 3.0 * (inputs.gap_p + inputs.lambda_d / 4.0 * inputs.gap_kernel) +
                e.tau * e.tau * e.kappa_squared * rate_bracket(projected);
  bound.inputs = {{"n", static_cast<double>(e.n)},
                  {"p", e.p},
                  {"τ", e.tau},
                  {"δ", inputs.delta},
                  {"κ²", e.kappa_squared},
                  {"M", e.slope},
                  {"ε", e.epsilon},
                  {"B", e.scale_b},
                  {"σ", e.sigma},
                  {"L", e.moment_l},
                  {"λ̃_d", inputs.lambda_d},
                  {"‖f* - f̃_d‖²_P", inputs.gap_p},
                  {"‖f* - f̃_d‖²_K", inputs.gap_kernel}};
  const double least_tau = 1.0 / std::sqrt(e.kappa_squared);
  bound.assumptions = {
      bounded_kernel(e.facts, e.kappa_squared),
      smooth_target(e.facts),
      bounded_moments(e.facts),
      checked("n >= 16 κ⁴ λ̃_d⁻² (2 + √(2 log 2/δ))²", static_cast<double>(e.n) >= needed,
              fmt::format("n = {}, needed {:.3g}", e.n, needed)),
      checked("τ >= 1/κ", e.tau >= least_tau,
              fmt::format("τ = {:g}, 1/κ = {:g}", e.tau, least_tau)),
      independent_samples(e.facts),
      large_enough(e.n)};
  bound.probability = 1.0 - 4.0 * std::exp(-e.tau) - inputs.delta;
  bound.trivial = energy * e.slope * e.kappa_squared;  // ‖f̃_d‖²_P ≤ κ²‖f̃_d‖²_K ≤ κ²MεB²
  bound.trivial_name = "the largest mean square of f̃_d, κ²MεB²";
  return bound;
}

TopDApproximation top_d_approximation_bounds(const TopDApproximationInputs& inputs) {
  check_top_d(inputs);
  const double slack = inputs.kappa_squared / std::sqrt(static_cast<double>(inputs.m)) *
                       (2.0 * std::sqrt(static_cast<double>(inputs.d)) +
                        3.0 * std::sqrt(std::log(6.0 / inputs.delta)));
  Bound common;
  common.name = "Theorem 6";
  common.label = kTopDApprox;
  common.inputs = {{"d", static_cast<double>(inputs.d)},
                   {"m", static_cast<double>(inputs.m)},
                   {"κ²", inputs.kappa_squared},
                   {"λ₁", inputs.lambda_1},
                   {"λ_(d+1)", inputs.lambda_next},
                   {"M", inputs.slope},
                   {"ε", inputs.epsilon},
                   {"B", inputs.scale_b},
                   {"δ", inputs.delta}};
  TopDApproximation result;
  result.g_lower = common;
  result.g_lower.quantity = "the largest ‖g‖²_P orthogonal to ψ̂";
  result.g_lower.lower = true;
  result.g_lower.value = inputs.lambda_next;
  result.g_lower.trivial_name = "the least that a square can be";

  result.g_upper = common;
  result.g_upper.quantity = "‖g‖²_P";
  result.g_upper.value = inputs.lambda_next + slack;
  result.g_upper.assumptions = {bounded_kernel(inputs.facts, inputs.kappa_squared),
                                independent_samples(inputs.facts)};
  result.g_upper.probability = 1.0 - inputs.delta;
  result.g_upper.trivial = inputs.lambda_1;  // ‖g‖²_P ≤ λ₁‖g‖²_K
  result.g_upper.trivial_name = "λ₁";

  result.kernel = common;
  const double g_squared = inputs.g_squared.value_or(result.g_upper.value);
  const double energy = inputs.epsilon * inputs.slope * inputs.scale_b * inputs.scale_b;  // εMB²
  const bool below = g_squared < inputs.lambda_1;
  result.kernel.quantity = "‖f* - f̃_d‖²_K";
  result.kernel.inputs.push_back({"‖g‖²_P", g_squared});
  result.kernel.value = below ? (inputs.epsilon * inputs.slope * inputs.lambda_1 - 0.5) /
                                    (inputs.lambda_1 - g_squared) * inputs.scale_b * inputs.scale_b
                              : std::numeric_limits<double>::infinity();
  result.kernel.assumptions = {
      smooth_target(inputs.facts),
      checked("‖g‖²_P < λ₁", below,
              fmt::format("‖g‖²_P{} = {:g}, λ₁ = {:g}", inputs.g_squared ? "" : ", by its bound,",
                          g_squared, inputs.lambda_1))};
  if (!inputs.g_squared) {
    for (const Assumption& assumption : result.g_upper.assumptions) {
      result.kernel.assumptions.push_back(assumption);
    }
    result.kernel.probability = 1.0 - inputs.delta;
  }
  result.kernel.trivial = energy;  // ‖f* - f̃_d‖²_K ≤ ‖f*‖²_K ≤ εMB²
  result.kernel.trivial_name = "the largest ‖f*‖²_K, εMB²";
  return result;
}

}  // namespace stkr
