#include "theory/second_quotient.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimator/gram_spectrum.hpp"
#include "solver/symmetric_eigen.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "transform/action_parts.hpp"
#include "transform/chebyshev.hpp"
#include "transform/divided_difference.hpp"
#include "transform/operator_polynomial.hpp"

namespace stkr {
namespace {

// A longer series divides by λ - δ what rounding left of its many terms.
constexpr std::size_t kShortSeries = 128;

Matrix polynomial_of(const GramOperator& gram, const std::vector<double>& coefficients,
                     ConstMatrixRef b, const Context& context) {
  Matrix result(b.rows(), b.cols());
  apply_polynomial<Matrix>(gram, coefficients, b, result, nullptr, context.threads);
  return result;
}

SecondQuotient of_polynomial(const GramOperator& gram, const std::vector<double>& pi,
                             ConstMatrixRef b, const Context& context) {
  const double delta = gram.self_term();
  std::vector<double> s{0.0};
  s.insert(s.end(), pi.begin(), pi.end());
  const std::vector<double> q = divided_difference(s, delta);
  return {.value = polynomial_value(s, delta),
          .slope = polynomial_value(q, delta),
          .image = polynomial_of(gram, divided_difference(q, delta), b, context)};
}

// s = λ^r/ρ: s(λ) - s(δ) = (λ - δ) a(λ)/(ρ(λ) ρ(δ)) with a = (λ^r ρ(δ) - δ^r ρ(λ))/(λ - δ), and the
// same once more for a/ρ.
SecondQuotient of_reciprocal(const GramOperator& gram, const SpectralTransform& transform,
                             const ReciprocalTransform& form, ConstMatrixRef b,
                             const ActionOptions& options, const Context& context) {
  const double delta = gram.self_term(), at = form.rho(delta);
  const std::vector<double>& xi = form.coefficients;
  const auto subtract_rho = [&](std::vector<double> from, double factor) {
    from.resize(std::max(from.size(), xi.size()), 0.0);
    for (std::size_t k = 0; k < xi.size(); ++k) from[k] -= factor * xi[k];
    return divided_difference(from, delta);
  };
  std::vector<double> power(static_cast<std::size_t>(form.r) + 1, 0.0);
  power.back() = at;
  std::vector<double> a = subtract_rho(power, std::pow(delta, form.r));
  const double a_at = polynomial_value(a, delta);
  for (double& coefficient : a) coefficient *= at;
  std::vector<double> numerator = subtract_rho(a, a_at);
  for (double& coefficient : numerator) coefficient /= at * at;
  // With r = 1, g = 1/ρ.
  const SpectralAction inverse(gram, form.r == 1 ? transform : SpectralTransform::reciprocal(xi, 1),
                               options, context);
  const Matrix theta = product(inverse, b);
  return {.value = std::pow(delta, form.r) / at,
          .slope = a_at / (at * at),
          .image = polynomial_of(gram, numerator, theta, context),
          .error = 0.0,
          .converged = inverse.inner().converged()};
}

SymmetricEigen decomposed(const GramOperator& gram, const Context& context) {
  const Matrix dense = product(gram, Matrix::Identity(gram.size(), gram.size()));
  return symmetric_eigen(0.5 * (dense + dense.transpose()), context.cancel);
}

// U diag(h) Uᵀ b
Matrix scaled(const SymmetricEigen& eigen, const Vector& h, ConstMatrixRef b) {
  return eigen.vectors * (h.asDiagonal() * (eigen.vectors.transpose() * b));
}

void require_few(const GramOperator& gram, const char* why, const ActionOptions& options) {
  if (gram.size() <= options.dense_below) return;
  throw ParameterError(
      fmt::format("transformed kernel of new samples: {}, which needs all eigenvectors, and there "
                  "are {} samples; expected at most {}, so choose another transform",
                  why, gram.size(), options.dense_below));
}

SecondQuotient of_truncation(const GramOperator& gram, const SpectralTransform& transform,
                             ConstMatrixRef b, const ActionOptions& options,
                             const Context& context) {
  const SpectralAction action(gram, transform, options, context);
  const LeadingSpace& space = *action.truncation();
  const double delta = gram.self_term();
  // As in TruncationAction::fresh, s(δ) is 0 if the cut is above δ, else δ.
  if (space.values[space.kept() - 1] > delta) {
    Vector h(space.kept());
    for (Index k = 0; k < h.size(); ++k) {
      h[k] = space.values[k] / std::pow(space.values[k] - delta, 2);
    }
    const Matrix vectors = scatter_rows(space.vectors, space.samples, gram.size());
    const Matrix coordinates = h.asDiagonal() * tall_product(vectors, b, context.threads);
    return {.image = tall_times_small(vectors, coordinates, context.threads)};
  }
  require_few(gram, "the truncation keeps eigenvalues below the self term", options);
  const SymmetricEigen eigen = decomposed(gram, context);
  Vector h = Vector::Zero(gram.size());  // q = 1 on the kept ones, δ/(δ - λ) on the rest
  for (Index k = space.kept(); k < h.size(); ++k) {
    h[k] = -eigen.values[k] / std::pow(delta - eigen.values[k], 2);
  }
  return {.value = delta, .slope = 1.0, .image = scaled(eigen, h, b)};
}

// s' and s''/2 at λ; of powers in closed form, else by central differences.
struct Derivatives {
  double first, half_second;
};

Derivatives derivatives(const SpectralTransform& s, double lambda, double unit) {
  if (const auto* power = std::get_if<PowerTransform>(&s.form())) {
    const double p = power->exponent;
    if (lambda <= 0.0) return {p == 1.0 ? 1.0 : 0.0, p == 2.0 ? 1.0 : 0.0};
    return {p * std::pow(lambda, p - 1.0), 0.5 * p * (p - 1.0) * std::pow(lambda, p - 2.0)};
  }
  const double step = 1e-4 * unit;
  // Fourth order.
  const double near = s(lambda + step), far = s(lambda + 2.0 * step);
  const double near_below = s(lambda - step), far_below = s(lambda - 2.0 * step);
  return {
      (8.0 * (near - near_below) - (far - far_below)) / (12.0 * step),
      (16.0 * (near + near_below) - (far + far_below) - 30.0 * s(lambda)) / (24.0 * step * step)};
}

SecondQuotient by_eigenvectors(const GramOperator& gram, const SpectralTransform& s,
                               ConstMatrixRef b, const Context& context) {
  const SymmetricEigen eigen = decomposed(gram, context);
  const double unit = std::max(eigen.values.cwiseAbs().maxCoeff(), 1e-300);
  const double delta = gram.self_term();
  const Derivatives at = derivatives(s, delta, unit);
  Vector h(gram.size());
  for (Index k = 0; k < h.size(); ++k) {
    const double lambda = eigen.values[k], step = lambda - delta;
    // Of a power at δ = 0 the quotients are powers: nothing cancels above rounding.
    const bool power = delta == 0.0 && std::holds_alternative<PowerTransform>(s.form());
    const double least = power ? 1e-13 * unit : 1e-3 * unit;
    h[k] =
        std::abs(step) > least ? ((s(lambda) - s(delta)) / step - at.first) / step : at.half_second;
  }
  return {.value = s(delta), .slope = at.first, .image = scaled(eigen, h, b)};
}

SecondQuotient of_function(const GramOperator& gram, const SpectralTransform& s, ConstMatrixRef b,
                           const ActionOptions& options, const Context& context) {
  GramSpectrum spectrum = options.spectrum ? *options.spectrum : known_spectrum(gram);
  if (!std::isfinite(spectrum.bounds.lower) || !std::isfinite(spectrum.bounds.upper) ||
      gram.root_weights()) {
    spectrum = estimated_spectrum(gram, context);
  }
  const ChebyshevOptions chebyshev{.at = gram.self_term(), .tolerance = 0.01 * options.tolerance};
  const ChebyshevSeries q =
      chebyshev_quotient([&](double x) { return s(x); }, spectrum.bounds, chebyshev);
  const bool smooth = q.converged && q.coefficients.size() <= kShortSeries;
  if (!smooth && gram.size() <= options.dense_below) return by_eigenvectors(gram, s, b, context);
  const ChebyshevSeries h =
      chebyshev_quotient([&](double x) { return q(x); }, {q.lower, q.upper}, chebyshev);
  SecondQuotient result{.value = s(chebyshev.at), .slope = q(chebyshev.at)};
  result.image.resize(b.rows(), b.cols());
  apply_chebyshev<Matrix>(gram, h, b, result.image, context.threads);
  const double width = q.upper - q.lower;
  result.error = q.error + width * h.error;
  result.converged = q.converged && h.converged;
  return result;
}

}  // namespace

SecondQuotient second_quotient(const GramOperator& gram, const SpectralTransform& transform,
                               ConstMatrixRef b, const ActionOptions& options,
                               const Context& context) {
  if (std::holds_alternative<PoissonTransform>(transform.form())) {
    throw ParameterError(
        "transformed kernel of new samples: the Poisson transform is not a function of lambda, so "
        "it has no kernel between two new samples; use inverse-laplacian with eta < 1/lambda_1");
  }
  if (const auto pi = transform.polynomial_coefficients()) {
    return of_polynomial(gram, *pi, b, context);
  }
  if (const auto reciprocal = transform.reciprocal_form()) {
    return of_reciprocal(gram, transform, *reciprocal, b, options, context);
  }
  if (std::holds_alternative<TruncationTransform>(transform.form())) {
    return of_truncation(gram, transform, b, options, context);
  }
  const std::vector<TransformTerm> parts = action_parts(transform);
  if (parts.size() == 1) return of_function(gram, transform, b, options, context);
  SecondQuotient total{.image = Matrix::Zero(b.rows(), b.cols())};
  for (const TransformTerm& part : parts) {
    const SecondQuotient own = second_quotient(gram, part.transform, b, options, context);
    total.value += part.weight * own.value;
    total.slope += part.weight * own.slope;
    total.image += part.weight * own.image;
    total.error += part.weight * own.error;
    total.converged = total.converged && own.converged;
  }
  return total;
}

}  // namespace stkr
