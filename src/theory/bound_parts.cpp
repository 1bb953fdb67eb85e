#include "theory/bound_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "stkr/error.hpp"

namespace stkr::theory {

Assumption stated(std::string name, std::optional<bool> holds) {
  const char* reason = !holds ? "cannot be checked" : *holds ? "known to hold" : "known to fail";
  return {std::move(name), holds, reason};
}

Assumption checked(std::string name, bool holds, std::string reason) {
  return {std::move(name), holds, std::move(reason)};
}

Assumption independent_samples(const TheoryFacts& facts) {
  return stated("samples are independent draws from P", facts.independent);
}

Assumption bounded_kernel(const TheoryFacts& facts, double kappa_squared) {
  return stated(fmt::format("K(x, x) <= κ² = {:g} for almost all x (ass:bt)", kappa_squared),
                facts.kernel_bound);
}

Assumption smooth_target(const TheoryFacts& facts) {
  return stated("E f* = 0, ‖f*‖_P <= B and ‖f*‖²_{K_s} <= ε‖f*‖²_P (ass:target)", facts.target);
}

Assumption bounded_moments(const TheoryFacts& facts) {
  return stated("moments of the noise are bounded by σ and L (ass:moment)", facts.moments);
}

Assumption large_enough(Index n) {
  return {"n is sufficiently large", std::nullopt,
          fmt::format("n = {}; the paper does not say how large", n)};
}

double deviation_factor(double delta) { return 2.0 + std::sqrt(2.0 * std::log(1.0 / delta)); }

double rate_bracket(const EstimationInputs& inputs) {
  const double n = static_cast<double>(inputs.n), p = inputs.p;
  const double energy = inputs.epsilon * inputs.scale_b * inputs.scale_b;  // εB²
  const double most =
      std::max(inputs.moment_l * inputs.moment_l, inputs.kappa_squared * inputs.slope * energy);
  return (energy + inputs.sigma * inputs.sigma) * std::pow(n, -1.0 / (1.0 + p)) +
         most * std::pow(n, -(1.0 + 2.0 * p) / (1.0 + p));
}

void check_positive(const char* who, const char* name, double value) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    throw ParameterError(
        fmt::format("{}: {} = {:g}; expected a finite number above 0", who, name, value));
  }
}

void check_probability(const char* who, double delta) {
  if (!(delta > 0.0 && delta < 1.0)) {
    throw ParameterError(fmt::format(
        "{}: δ = {:g}; expected 0 < δ < 1, the probability that the bound may fail", who, delta));
  }
}

void check_estimation(const char* who, const EstimationInputs& inputs) {
  check_positive(who, "n", static_cast<double>(inputs.n));
  check_positive(who, "κ²", inputs.kappa_squared);
  check_positive(who, "M", inputs.slope);
  check_positive(who, "ε", inputs.epsilon);
  check_positive(who, "B", inputs.scale_b);
  check_positive(who, "τ", inputs.tau);
  if (!(inputs.sigma >= 0.0 && inputs.moment_l >= 0.0)) {
    throw ParameterError(fmt::format("{}: σ = {:g}, L = {:g}; expected numbers of at least 0", who,
                                     inputs.sigma, inputs.moment_l));
  }
  if (!(inputs.p > 0.0 && inputs.p <= 1.0)) {
    throw ParameterError(
        fmt::format("{}: p = {:g}; expected 0 < p <= 1 (p = 1 is always possible if K is bounded)",
                    who, inputs.p));
  }
}

}  // namespace stkr::theory
