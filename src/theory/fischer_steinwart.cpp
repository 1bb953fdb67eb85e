#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stkr/error.hpp"
#include "stkr/theory/bounds.hpp"
#include "theory/bound_parts.hpp"

namespace stkr {

using namespace theory;

namespace {

constexpr const char* kSteinwart = "thm:steinwart";

void check_interval(const char* name, double value, double low, double high, bool open) {
  if ((open ? value > low : value >= low) && value <= high) return;
  throw ParameterError(fmt::format("{}: {} = {:g}; expected a number in {}{:g}, {:g}]", kSteinwart,
                                   name, value, open ? "(" : "[", low, high));
}

void check_steinwart(const FischerSteinwartInputs& inputs) {
  check_positive(kSteinwart, "n", static_cast<double>(inputs.n));
  check_positive(kSteinwart, "β_n", inputs.beta_n);
  check_positive(kSteinwart, "c₂", inputs.embedding_c2);
  check_positive(kSteinwart, "c₃", inputs.source_c3);
  check_positive(kSteinwart, "B_∞", inputs.largest_target);
  check_positive(kSteinwart, "κ²", inputs.kappa_squared);
  check_positive(kSteinwart, "τ", inputs.tau);
  check_interval("p", inputs.p, 0.0, 1.0, true);
  check_interval("α", inputs.alpha, 0.0, 1.0, true);
  check_interval("β", inputs.beta, 0.0, 2.0, true);
  check_interval("γ", inputs.gamma, 0.0, 1.0, false);
  if (!(inputs.sigma >= 0.0 && inputs.moment_l >= 0.0)) {
    throw ParameterError(fmt::format("{}: σ = {:g}, L = {:g}; expected numbers of at least 0",
                                     kSteinwart, inputs.sigma, inputs.moment_l));
  }
}

// The right-hand side of eqn:fischer-steinwart with A = 1.
double steinwart_value(const FischerSteinwartInputs& i) {
  const auto n = static_cast<double>(i.n);
  const double c2 = i.embedding_c2 * i.embedding_c2, c3 = i.source_c3 * i.source_c3;
  const double size = i.largest_target + i.embedding_c2 * i.source_c3;
  const double bias = 2.0 * c3 * std::pow(i.beta_n, i.beta - i.gamma);
  const double variance =
      (i.sigma * i.sigma * i.kappa_squared + c2 * c3) / (n * std::pow(i.beta_n, i.gamma + i.p));
  const double rest =
      c2 * std::max(i.moment_l * i.moment_l, size * size) /
      (n * n * std::pow(i.beta_n, i.alpha + i.gamma + std::max(i.alpha - i.beta, 0.0)));
  return bias + i.tau * i.tau * (variance + rest);
}

}  // namespace

Bound fischer_steinwart_bound(const FischerSteinwartInputs& inputs) {
  check_steinwart(inputs);
  Bound bound;
  bound.name = "Fischer and Steinwart's theorem";
  bound.label = kSteinwart;
  bound.quantity =
      inputs.gamma == 0.0 ? "‖f̃ - f*‖²_P" : fmt::format("‖f̃ - f*‖² in H_{{K^{:g}}}", inputs.gamma);
  bound.constant_unknown = true;
  bound.value = steinwart_value(inputs);
  bound.inputs = {{"n", static_cast<double>(inputs.n)},
                  {"β_n", inputs.beta_n},
                  {"p", inputs.p},
                  {"α", inputs.alpha},
                  {"c₂", inputs.embedding_c2},
                  {"β", inputs.beta},
                  {"c₃", inputs.source_c3},
                  {"γ", inputs.gamma},
                  {"B_∞", inputs.largest_target},
                  {"κ²", inputs.kappa_squared},
                  {"σ", inputs.sigma},
                  {"L", inputs.moment_l},
                  {"τ", inputs.tau}};
  const double n = static_cast<double>(inputs.n);
  bound.assumptions = {
      bounded_kernel(inputs.facts, inputs.kappa_squared),
      stated(fmt::format("λ_i <= c₁ i^(-1/p) with p = {:g} (EVD)", inputs.p), inputs.facts.decay),
      stated(fmt::format("H_{{K^{:g}}} is in L^∞ with norm at most c₂ = {:g} (EMB)", inputs.alpha,
                         inputs.embedding_c2),
             inputs.facts.embedding),
      stated(fmt::format("‖f*‖ in H_{{K^{:g}}} is at most c₃ = {:g} (SRC), and |f*| <= B_∞",
                         inputs.beta, inputs.source_c3),
             inputs.facts.target),
      bounded_moments(inputs.facts),
      checked("β + p > α", inputs.beta + inputs.p > inputs.alpha,
              fmt::format("β + p = {:g}, α = {:g}", inputs.beta + inputs.p, inputs.alpha)),
      checked("γ < β", inputs.gamma < inputs.beta,
              fmt::format("γ = {:g}, β = {:g}", inputs.gamma, inputs.beta)),
      {"β_n = Θ(n^(-1/(β+p)))", std::nullopt,
       fmt::format("β_n is {:.3g} times n^(-1/(β+p)); a single n cannot say more",
                   inputs.beta_n * std::pow(n, 1.0 / (inputs.beta + inputs.p)))},
      independent_samples(inputs.facts),
      large_enough(inputs.n)};
  bound.probability = 1.0 - 4.0 * std::exp(-inputs.tau);
  // Predicting 0: ‖f*‖²_{K^γ} ≤ λ₁^(β-γ) ‖f*‖²_{K^β}, and λ₁ ≤ κ².
  bound.trivial = std::pow(inputs.kappa_squared, inputs.beta - inputs.gamma) * inputs.source_c3 *
                  inputs.source_c3;
  if (inputs.gamma == 0.0) {
    bound.trivial = std::min(bound.trivial, inputs.largest_target * inputs.largest_target);
  }
  bound.trivial_name = "the largest square of f* in that norm";
  return bound;
}

}  // namespace stkr
