#include "stkr/transform/spectral_transform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stkr/error.hpp"
#include "transform/transform_names.hpp"
#include "transform/transform_text.hpp"

namespace stkr {
namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;  // Clang deduces this itself since version 17

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

}  // namespace

double ReciprocalTransform::rho(double lambda) const { return horner(coefficients, lambda); }

SpectralTransform::SpectralTransform(Form form) : form_(std::move(form)) {}
SpectralTransform::SpectralTransform(const SpectralTransform&) = default;
SpectralTransform::SpectralTransform(SpectralTransform&&) noexcept = default;
SpectralTransform& SpectralTransform::operator=(const SpectralTransform&) = default;
SpectralTransform& SpectralTransform::operator=(SpectralTransform&&) noexcept = default;
SpectralTransform::~SpectralTransform() = default;

SpectralTransform SpectralTransform::power(double exponent) {
  if (!(exponent >= 1.0) || !std::isfinite(exponent)) {
    throw ParameterError(fmt::format(
        "power: p = {}; expected p >= 1 (s(lambda) <= M lambda fails below 1)", exponent));
  }
  return SpectralTransform(PowerTransform{exponent});
}

SpectralTransform SpectralTransform::polynomial(std::vector<double> coefficients) {
  if (coefficients.empty() || !all_finite(coefficients) ||
      std::all_of(coefficients.begin(), coefficients.end(), [](double v) { return v == 0.0; })) {
    throw ParameterError(
        fmt::format("polynomial: coefficients [{}]; expected finite pi_1, ..., pi_q, not all zero",
                    fmt::join(coefficients, ", ")));
  }
  return SpectralTransform(PolynomialTransform{std::move(coefficients)});
}

SpectralTransform SpectralTransform::inverse_laplacian(double eta) {
  if (!(eta > 0.0) || !std::isfinite(eta)) {
    throw ParameterError(fmt::format(
        "inverse Laplacian: eta = {}; expected a number above 0 and below 1/lambda_1", eta));
  }
  return SpectralTransform(InverseLaplacianTransform{eta});
}

SpectralTransform SpectralTransform::reciprocal(std::vector<double> coefficients, int r) {
  if (coefficients.empty() || !all_finite(coefficients) || !(coefficients.front() > 0.0)) {
    throw ParameterError(fmt::format(
        "reciprocal: coefficients [{}]; expected finite xi_0, ..., xi_(q-1) with xi_0 > 0",
        fmt::join(coefficients, ", ")));
  }
  if (r < 1) throw ParameterError(fmt::format("reciprocal: r = {}; expected r >= 1", r));
  return SpectralTransform(ReciprocalTransform{std::move(coefficients), r});
}

SpectralTransform SpectralTransform::diffusion(double time) {
  if (!(time > 0.0) || !std::isfinite(time)) {
    throw ParameterError(fmt::format("diffusion: t = {}; expected a positive number", time));
  }
  return SpectralTransform(DiffusionTransform{time});
}

SpectralTransform SpectralTransform::truncation(Index dimension) {
  if (dimension < 1)
    throw ParameterError(fmt::format("truncation: d = {}; expected d >= 1", dimension));
  return SpectralTransform(TruncationTransform{dimension});
}

SpectralTransform SpectralTransform::poisson(double eta) {
  if (!(eta > 0.0 && eta <= 1.0)) {
    throw ParameterError(fmt::format(
        "poisson: eta = {}; expected a number above 0 and at most 1, in units of 1/lambda_1", eta));
  }
  return SpectralTransform(PoissonTransform{eta});
}

SpectralTransform SpectralTransform::smooth_step(double position, int sharpness) {
  if (!(position > 0.0) || !std::isfinite(position)) {
    throw ParameterError(
        fmt::format("smooth step: position c = {}; expected a positive number", position));
  }
  if (sharpness < 2 || sharpness % 2 != 0) {
    throw ParameterError(
        fmt::format("smooth step: sharpness p = {}; expected an even number from 2", sharpness));
  }
  return SpectralTransform(SmoothStepTransform{position, sharpness});
}

SpectralTransform SpectralTransform::sum(std::vector<TransformTerm> terms) {
  if (terms.empty()) throw ParameterError("sum of transforms: no terms; expected one or more");
  std::vector<TransformTerm> all;
  for (TransformTerm& term : terms) {
    if (!(term.weight > 0.0) || !std::isfinite(term.weight)) {
      throw ParameterError(
          fmt::format("sum of transforms: weight {} of {}; expected a positive number (Theorem 1 "
                      "holds for sums "
                      "with positive weights)",
                      term.weight, term.transform.describe()));
    }
    if (std::holds_alternative<TruncationTransform>(term.transform.form())) {
      throw ParameterError(
          "sum of transforms: a truncation is not a function of lambda; use a smooth step instead");
    }
    if (std::holds_alternative<PoissonTransform>(term.transform.form())) {
      throw ParameterError(
          "sum of transforms: poisson is not a function of lambda; average fits instead, as in "
          "0.5*poisson(1)@0.01 + 0.5*power(2)@0.1");
    }
    for (TransformTerm& inner : terms_of(term.transform)) {
      all.push_back({term.weight * inner.weight, std::move(inner.transform)});
    }
  }
  if (all.size() == 1 && all.front().weight == 1.0) {
    return std::move(all.front().transform);
  }
  return SpectralTransform(
      SumTransform{std::make_shared<const std::vector<TransformTerm>>(std::move(all))});
}

std::vector<TransformTerm> terms_of(const SpectralTransform& transform) {
  if (const auto* sum = std::get_if<SumTransform>(&transform.form())) return *sum->terms;
  return {{1.0, transform}};
}

SpectralTransform SpectralTransform::callable(std::string name, std::function<double(double)> s) {
  if (!s) throw ParameterError("callable transform: no function given");
  const double at_zero = s(0.0);
  if (!(std::abs(at_zero) <= 1e-12)) {
    throw ParameterError(
        fmt::format("transform '{}': s(0) = {}; expected s(0) = 0", name, at_zero));
  }
  return SpectralTransform(CallableTransform{std::move(name), std::move(s)});
}

std::string SpectralTransform::name() const {
  static_assert(std::is_same_v<std::variant_alternative_t<kTransformNames.size() - 1, Form>,
                               SmoothStepTransform>);
  if (const auto* t = std::get_if<CallableTransform>(&form_)) return t->name;
  if (std::holds_alternative<SumTransform>(form_)) return std::string(kSumOfTransforms);
  return std::string(kTransformNames[form_.index()]);
}

std::string SpectralTransform::describe() const {
  if (std::holds_alternative<SumTransform>(form_)) return to_text(*this);
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
          [](const PoissonTransform& t) { return fmt::format(" eta={:.6g}", t.eta); },
          [](const SmoothStepTransform& t) {
            return fmt::format(" c={:.6g} p={}", t.position, t.sharpness);
          },
          [](const CallableTransform&) { return std::string(); },
          [](const SumTransform&) { return std::string(); }},
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
          [&](const PoissonTransform& t) {
            return lambda < 1.0 ? lambda / (1.0 - t.eta * lambda) : 0.0;
          },
          [&](const SmoothStepTransform& t) {
            // Not λ^p/(λ^p + c^p), in which both may underflow. 1/∞ = 0 at λ = 0.
            return 1.0 / (1.0 + std::pow(t.position / lambda, t.sharpness));
          },
          [&](const CallableTransform& t) { return t.s(lambda); },
          [&](const SumTransform& t) {
            double value = 0.0;
            for (const TransformTerm& term : *t.terms)
              value += term.weight * term.transform(lambda);
            return value;
          }},
      form_);
}

std::optional<std::vector<double>> SpectralTransform::polynomial_coefficients() const {
  if (const auto* t = std::get_if<PolynomialTransform>(&form_)) return t->coefficients;
  if (const auto* t = std::get_if<SumTransform>(&form_)) {
    std::vector<double> total;
    for (const TransformTerm& term : *t->terms) {
      const auto coefficients = term.transform.polynomial_coefficients();
      if (!coefficients) return std::nullopt;
      total.resize(std::max(total.size(), coefficients->size()), 0.0);
      for (std::size_t p = 0; p < coefficients->size(); ++p) {
        total[p] += term.weight * (*coefficients)[p];
      }
    }
    return total;
  }
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
  const auto* sum = std::get_if<SumTransform>(&form_);
  if (sum && sum->terms->size() == 1) {
    auto scaled = sum->terms->front().transform.reciprocal_form();
    if (!scaled) return std::nullopt;
    for (double& xi : scaled->coefficients) xi /= sum->terms->front().weight;
    return scaled;
  }
  return std::nullopt;
}

}  // namespace stkr
