#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "stkr/error.hpp"
#include "stkr/theory/bounds.hpp"

namespace stkr {
namespace {

constexpr double kDiverges = std::numeric_limits<double>::infinity();

template <class... Cases>
struct FormCases : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
FormCases(Cases...) -> FormCases<Cases...>;

PowerSeriesCheck of_coefficients(const std::vector<double>& coefficients) {
  for (std::size_t p = 0; p < coefficients.size(); ++p) {
    if (coefficients[p] < 0.0) {
      return {false, fmt::format("π_{} = {:g} is negative", p + 1, coefficients[p])};
    }
  }
  return {true, "all coefficients are at least 0"};
}

// λ^r/ρ(λ): the series of 1/ρ decides. With ρ = ξ_0 - (terms with coefficients ≥ 0) it is a
// geometric series of those terms.
PowerSeriesCheck of_reciprocal(const ReciprocalTransform& form, double lambda) {
  for (double at = 0.0; at <= 1.0; at += 1.0 / 256.0) {
    if (!(form.rho(at * lambda) > 0.0)) {
      return {false, fmt::format("1/s has a zero at or below λ = {:g}", lambda)};
    }
  }
  bool geometric = true;
  for (std::size_t p = 1; p < form.coefficients.size(); ++p) {
    geometric = geometric && form.coefficients[p] <= 0.0;
  }
  if (geometric) return {true, "1/s has one positive coefficient, the first"};
  constexpr std::size_t kTerms = 64;
  std::vector<double> series(kTerms, 0.0);
  series[0] = 1.0 / form.coefficients[0];
  for (std::size_t k = 1; k < kTerms; ++k) {
    for (std::size_t p = 1; p <= k && p < form.coefficients.size(); ++p) {
      series[k] -= form.coefficients[p] * series[k - p] / form.coefficients[0];
    }
    if (series[k] < 0.0) {
      return {false, fmt::format("π_{} = {:g} is negative", k + static_cast<std::size_t>(form.r),
                                 series[k])};
    }
  }
  return {std::nullopt, fmt::format("the first {} coefficients are at least 0", kTerms)};
}

// (e^{tλ} - 1)/λ has the derivative t² h(tλ) with h(x) = (x eˣ - eˣ + 1)/x²; near 0 by its series.
double diffusion_derivative(double time, double lambda) {
  const double x = time * lambda;
  if (std::abs(x) < 0.1) {
    double term = 1.0, sum = 0.0;  // Σ_{p≥2} (p-1) x^(p-2)/p!
    for (int p = 2; p < 16; ++p) {
      term /= p;
      sum += (p - 1) * term;
      term *= x;
    }
    return time * time * sum;
  }
  return (x * std::exp(x) - std::expm1(x)) / (lambda * lambda);
}

// Central differences at three distances, extrapolated twice (Richardson): error O(h⁶).
double differences(const SpectralTransform& transform, double lambda) {
  const auto quotient = [&](double at) { return transform(at) / at; };
  const auto slope = [&](double h) {
    return (quotient(lambda + h) - quotient(lambda - h)) / (2 * h);
  };
  const double h = 4e-3 * lambda;
  const double a = slope(h), b = slope(h / 2), c = slope(h / 4);
  const double first = (4 * b - a) / 3, second = (4 * c - b) / 3;
  const double value = (16 * second - first) / 15;
  return std::isfinite(value) ? value : kDiverges;
}

[[noreturn]] void not_a_function(const SpectralTransform& transform) {
  throw ValueError(fmt::format(
      "derivative of s(λ)/λ: {} is not a function of λ; expected a transform that is, such as a "
      "power or the inverse Laplacian",
      transform.describe()));
}

}  // namespace

PowerSeriesCheck has_power_series(const SpectralTransform& transform, double lambda) {
  if (const auto coefficients = transform.polynomial_coefficients()) {
    return of_coefficients(*coefficients);
  }
  return std::visit(
      FormCases{
          [](const PowerTransform& form) -> PowerSeriesCheck {
            if (form.exponent == std::floor(form.exponent)) return {true, "a power of λ"};
            return {false, fmt::format("λ^{:g} is not a power series", form.exponent)};
          },
          [](const PolynomialTransform& form) { return of_coefficients(form.coefficients); },
          [&](const InverseLaplacianTransform& form) -> PowerSeriesCheck {
            if (form.eta * lambda < 1.0) return {true, "π_p = η^(p-1)"};
            return {false, fmt::format("the series diverges: η λ = {:g}, expected less than 1",
                                       form.eta * lambda)};
          },
          [&](const ReciprocalTransform& form) { return of_reciprocal(form, lambda); },
          [](const DiffusionTransform&) -> PowerSeriesCheck {
            return {true, "π_p = t^p/p!"};
          },
          [](const TruncationTransform&) -> PowerSeriesCheck {
            return {false, "a truncation is not a power series"};
          },
          [](const PoissonTransform&) -> PowerSeriesCheck {
            return {false, "it leaves the leading eigenvectors out, so it is not a power series"};
          },
          [](const SmoothStepTransform& form) -> PowerSeriesCheck {
            return {false,
                    fmt::format("the signs of its series alternate: π_{} < 0", 2 * form.sharpness)};
          },
          [](const CallableTransform&) -> PowerSeriesCheck {
            return {std::nullopt, "s is user-defined"};
          },
          [&](const SumTransform& sum) -> PowerSeriesCheck {
            for (const TransformTerm& term : *sum.terms) {
              PowerSeriesCheck check = has_power_series(term.transform, lambda);
              // Another term may outweigh a negative coefficient, so one failure decides nothing.
              if (check.holds != true) {
                return {std::nullopt,
                        fmt::format("term {}: {}", term.transform.describe(), check.reason)};
              }
            }
            return {true, "every term is such a series"};
          }},
      transform.form());
}

double quotient_derivative(const SpectralTransform& transform, double lambda) {
  if (!(lambda > 0.0) || !std::isfinite(lambda)) {
    throw ValueError(fmt::format(
        "derivative of s(λ)/λ: λ = {:g}; expected the largest eigenvalue, above 0", lambda));
  }
  return std::visit(
      FormCases{
          [&](const PowerTransform& form) {
            if (form.exponent == 1.0) return 0.0;
            return (form.exponent - 1.0) * std::pow(lambda, form.exponent - 2.0);
          },
          [&](const PolynomialTransform& form) {
            double sum = 0.0, power = 1.0;
            for (std::size_t k = 1; k < form.coefficients.size(); ++k, power *= lambda) {
              sum += form.coefficients[k] * static_cast<double>(k) * power;
            }
            return sum;
          },
          [&](const InverseLaplacianTransform& form) {
            const double rest = 1.0 - form.eta * lambda;
            return rest > 0.0 ? form.eta / (rest * rest) : kDiverges;
          },
          [&](const DiffusionTransform& form) { return diffusion_derivative(form.time, lambda); },
          [&](const ReciprocalTransform& form) {
            return form.rho(lambda) > 0.0 ? differences(transform, lambda) : kDiverges;
          },
          [&](const TruncationTransform&) -> double { not_a_function(transform); },
          [&](const PoissonTransform&) -> double { not_a_function(transform); },
          [&](const SmoothStepTransform&) { return differences(transform, lambda); },
          [&](const CallableTransform&) { return differences(transform, lambda); },
          [&](const SumTransform& sum) {
            double total = 0.0;
            for (const TransformTerm& term : *sum.terms) {
              total += term.weight * quotient_derivative(term.transform, lambda);
            }
            return total;
          }},
      transform.form());
}

}  // namespace stkr
