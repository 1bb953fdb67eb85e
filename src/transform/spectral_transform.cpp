#include "stkr/transform/spectral_transform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stkr/error.hpp"

namespace stkr {
namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

// Σ_k coefficients[k] x^k by Horner's rule.
double horner(const std::vector<double>& coefficients, double x) {
  double value = 0.0;
  for (auto it = coefficients.rbegin(); it != coefficients.rend(); ++it) value = value * x + *it;
  return value;
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

bool is_whole(double value) { return value == std::floor(value); }

double real_power(double x, double exponent) {
  return is_whole(exponent) ? std::pow(x, exponent) : (x > 0.0 ? std::pow(x, exponent) : 0.0);
}

// Where s is examined: even steps, and ever finer ones towards 0, where s(λ) ≤ Mλ is decided.
std::vector<double> sample_points(double lower, double upper) {
  constexpr int kEven = 2000;
  std::vector<double> points;
  for (int k = 0; k <= kEven; ++k) points.push_back(lower + (upper - lower) * k / kEven);
  for (int k = 1; k <= 40; ++k) points.push_back(upper * std::pow(0.5, k));
  std::sort(points.begin(), points.end());
  return points;
}

}  // namespace

double ReciprocalTransform::rho(double lambda) const { return horner(coefficients, lambda); }

SpectralTransform SpectralTransform::power(double exponent) {
  if (!(exponent >= 1.0) || !std::isfinite(exponent)) {
    throw ValueError(fmt::format(
        "power: p = {}; expected p >= 1 (s(lambda) <= M lambda fails below 1)", exponent));
  }
  return SpectralTransform(PowerTransform{exponent});
}

SpectralTransform SpectralTransform::polynomial(std::vector<double> coefficients) {
  if (coefficients.empty() || !all_finite(coefficients) ||
      std::all_of(coefficients.begin(), coefficients.end(), [](double v) { return v == 0.0; })) {
    throw ValueError(
        fmt::format("polynomial: coefficients [{}]; expected finite pi_1, ..., pi_q, not all zero",
                    fmt::join(coefficients, ", ")));
  }
  return SpectralTransform(PolynomialTransform{std::move(coefficients)});
}

SpectralTransform SpectralTransform::inverse_laplacian(double eta) {
  if (!(eta > 0.0) || !std::isfinite(eta)) {
    throw ValueError(fmt::format(
        "inverse Laplacian: eta = {}; expected a number above 0 and below 1/lambda_1", eta));
  }
  return SpectralTransform(InverseLaplacianTransform{eta});
}

SpectralTransform SpectralTransform::reciprocal(std::vector<double> coefficients, int r) {
  if (coefficients.empty() || !all_finite(coefficients) || !(coefficients.front() > 0.0)) {
    throw ValueError(fmt::format(
        "reciprocal: coefficients [{}]; expected finite xi_0, ..., xi_(q-1) with xi_0 > 0",
        fmt::join(coefficients, ", ")));
  }
  if (r < 1) throw ValueError(fmt::format("reciprocal: r = {}; expected r >= 1", r));
  return SpectralTransform(ReciprocalTransform{std::move(coefficients), r});
}

SpectralTransform SpectralTransform::diffusion(double time) {
  if (!(time > 0.0) || !std::isfinite(time)) {
    throw ValueError(fmt::format("diffusion: t = {}; expected a positive number", time));
  }
  return SpectralTransform(DiffusionTransform{time});
}

SpectralTransform SpectralTransform::truncation(Index dimension) {
  if (dimension < 1)
    throw ValueError(fmt::format("truncation: d = {}; expected d >= 1", dimension));
  return SpectralTransform(TruncationTransform{dimension});
}

SpectralTransform SpectralTransform::callable(std::string name, std::function<double(double)> s) {
  if (!s) throw ValueError("callable transform: no function given");
  const double at_zero = s(0.0);
  if (!(std::abs(at_zero) <= 1e-12)) {
    throw ValueError(fmt::format("transform '{}': s(0) = {}; expected s(0) = 0", name, at_zero));
  }
  return SpectralTransform(CallableTransform{std::move(name), std::move(s)});
}

std::string SpectralTransform::name() const {
  return std::visit(
      Overloaded{[](const PowerTransform&) { return std::string("power"); },
                 [](const PolynomialTransform&) { return std::string("polynomial"); },
                 [](const InverseLaplacianTransform&) { return std::string("inverse-laplacian"); },
                 [](const ReciprocalTransform&) { return std::string("reciprocal"); },
                 [](const DiffusionTransform&) { return std::string("diffusion"); },
                 [](const TruncationTransform&) { return std::string("truncation"); },
                 [](const CallableTransform& t) { return t.name; }},
      form_);
}

std::string SpectralTransform::describe() const {
  const std::string parameters = std::visit(
      Overloaded{
          [](const PowerTransform& t) { return fmt::format(" p={}", t.exponent); },
          [](const PolynomialTransform& t) {
            return fmt::format(" pi=[{}]", fmt::join(t.coefficients, ", "));
          },
          [](const InverseLaplacianTransform& t) { return fmt::format(" eta={:.6g}", t.eta); },
          [](const ReciprocalTransform& t) {
            return fmt::format(" xi=[{}] r={}", fmt::join(t.coefficients, ", "), t.r);
          },
          [](const DiffusionTransform& t) { return fmt::format(" t={}", t.time); },
          [](const TruncationTransform& t) { return fmt::format(" d={}", t.dimension); },
          [](const CallableTransform&) { return std::string(); }},
      form_);
  return name() + parameters;
}

double SpectralTransform::operator()(double lambda) const {
  return std::visit(
      Overloaded{
          [&](const PowerTransform& t) { return real_power(lambda, t.exponent); },
          [&](const PolynomialTransform& t) { return lambda * horner(t.coefficients, lambda); },
          [&](const InverseLaplacianTransform& t) { return lambda / (1.0 - t.eta * lambda); },
          [&](const ReciprocalTransform& t) { return std::pow(lambda, t.r) / t.rho(lambda); },
          [&](const DiffusionTransform& t) { return std::expm1(t.time * lambda); },
          [&](const TruncationTransform&) { return lambda; },
          [&](const CallableTransform& t) { return t.s(lambda); }},
      form_);
}

std::optional<std::vector<double>> SpectralTransform::polynomial_coefficients() const {
  if (const auto* t = std::get_if<PolynomialTransform>(&form_)) return t->coefficients;
  const auto* t = std::get_if<PowerTransform>(&form_);
  if (!t || !is_whole(t->exponent) || t->exponent > 1000) return std::nullopt;
  std::vector<double> coefficients(static_cast<std::size_t>(t->exponent), 0.0);
  coefficients.back() = 1.0;
  return coefficients;
}

std::optional<ReciprocalTransform> SpectralTransform::reciprocal_form() const {
  if (const auto* t = std::get_if<ReciprocalTransform>(&form_)) return *t;
  if (const auto* t = std::get_if<InverseLaplacianTransform>(&form_)) {
    return ReciprocalTransform{{1.0, -t->eta}, 1};
  }
  return std::nullopt;
}

bool TransformValidity::valid() const {
  return std::all_of(conditions.begin(), conditions.end(),
                     [](const ConditionCheck& check) { return check.holds; });
}

std::string TransformValidity::failures() const {
  std::string text;
  for (const ConditionCheck& check : conditions) {
    if (check.holds) continue;
    if (!text.empty()) text += "; ";
    text += fmt::format("'{}' fails: {}", check.condition, check.finding);
  }
  return text;
}

TransformValidity SpectralTransform::validate(const SpectrumBounds& spectrum) const {
  if (!std::isfinite(spectrum.lower) || !std::isfinite(spectrum.upper)) {
    throw ValueError("SpectralTransform::validate: the spectrum must have finite ends");
  }
  TransformValidity result;
  ConditionCheck zero{"s(0) = 0", true, ""}, finite{"s continuous", true, ""},
      negative{"s >= 0 on the spectrum", true, ""}, monotone{"s non-decreasing", true, ""},
      linear{"s(lambda) <= M lambda", true, ""}, semidefinite{"K positive semidefinite", true, ""};
  const auto& s = *this;
  const auto fail = [](ConditionCheck& check, std::string finding) {
    if (check.holds) check.finding = std::move(finding);
    check.holds = false;
  };
  const double upper = std::max(spectrum.upper, 0.0);
  // A truncation keeps positive eigenvalues only: what lies below 0 does not concern it.
  const bool truncation = std::holds_alternative<TruncationTransform>(form_);
  const double lower = truncation ? 0.0 : std::min(spectrum.lower, 0.0);
  // Rounding in the ends of the spectrum is not a negative eigenvalue.
  const double slack = 1e-10 * std::max(upper, -lower);

  if (std::abs(s(0.0)) > 1e-12) fail(zero, fmt::format("s(0) = {}", s(0.0)));
  if (const auto reciprocal = reciprocal_form()) {
    // A pole inside the spectrum: ρ changes sign.
    for (const double x : sample_points(lower, upper)) {
      if (!(reciprocal->rho(x) > 0.0)) {
        fail(finite,
             fmt::format("lambda^r/s(lambda) = {:.3g} at lambda = {:.6g}: s has a pole at or "
                         "below it (for the inverse Laplacian eta must stay below "
                         "1/lambda_1 = {:.6g})",
                         reciprocal->rho(x), x, 1.0 / upper));
        break;
      }
    }
  }
  double previous = 0.0, previous_at = 0.0;
  for (const double x : sample_points(0.0, upper)) {
    const double value = s(x);
    if (!std::isfinite(value)) {
      fail(finite, fmt::format("s({:.6g}) = {}", x, value));
      continue;
    }
    const double rounding = 1e-12 * (std::abs(value) + std::abs(previous));
    if (value < -rounding) fail(negative, fmt::format("s({:.6g}) = {:.3g}", x, value));
    if (value < previous - rounding) {
      fail(monotone, fmt::format("s falls from {:.6g} at {:.6g} to {:.6g} at {:.6g}", previous,
                                 previous_at, value, x));
    }
    previous = value;
    previous_at = x;
    if (x > 0.0) result.slope = std::max(result.slope, value / x);
  }
  // s(λ)/λ must stay bounded towards 0: it may not still be growing by a fixed factor per halving.
  const double near = s(upper * 0x1.0p-20) / (upper * 0x1.0p-20);
  const double nearer = s(upper * 0x1.0p-40) / (upper * 0x1.0p-40);
  if (upper > 0.0 && nearer > 2.0 * near) {
    fail(linear, fmt::format("s(lambda)/lambda grows without bound towards 0 ({:.3g} at {:.1e})",
                             nearer, upper * 0x1.0p-40));
  }
  if (lower < -slack) {
    fail(semidefinite,
         fmt::format("the spectrum reaches {:.4g}; remedies: lazy walk (I+S)/2, an even power, "
                     "truncation to the top d",
                     lower));
    for (const double x : sample_points(lower, 0.0)) {
      const double value = s(x);
      if (!(value >= -1e-12)) {
        fail(negative,
             fmt::format("s({:.6g}) = {:.3g} on the negative part of the spectrum", x, value));
        break;
      }
    }
  }
  result.conditions = {zero, finite, negative, monotone, linear, semidefinite};
  return result;
}

}  // namespace stkr
