#include "transform_cases.hpp"

#include <algorithm>
#include <functional>

namespace stkr::cases {

TransformCase power_case(double p) {
  // A non-integer power is 0 for λ ≤ 0.
  const bool whole = p == std::floor(p);
  const auto raise = [whole](double x, double exponent) {
    return whole || x > 0.0 ? std::pow(x, exponent) : 0.0;
  };
  return {"power " + std::to_string(p),
          SpectralTransform::power(p),
          {.s = [=](double x) { return raise(x, p); },
           .g = [=](double x) { return raise(x, p - 1.0); }},
          // Not smooth at 0, so the series has about 500 terms; an error of 1e-14 in s, from
          // rounding, becomes up to 500² as much in g = s/λ toward 0 (Markov). It does not affect
          // f̂, which multiplies it by λ.
          whole ? 1e-8 : 1e-6};
}

TransformCase polynomial_case(const std::string& name, const std::vector<double>& pi) {
  const auto g = [pi](double x) {
    double sum = 0.0;
    for (std::size_t p = 0; p < pi.size(); ++p) sum += pi[p] * std::pow(x, static_cast<double>(p));
    return sum;
  };
  return {
      name, SpectralTransform::polynomial(pi), {.s = [g](double x) { return x * g(x); }, .g = g}};
}

TransformCase inverse_laplacian_case(double eta) {
  return {"inverse Laplacian",
          SpectralTransform::inverse_laplacian(eta),
          {.s = [=](double x) { return x / (1.0 - eta * x); },
           .g = [=](double x) { return 1.0 / (1.0 - eta * x); }}};
}

TransformCase poisson_case(double eta, double largest) {
  const auto g = [=](double x) {
    return x < largest * (1.0 - 1e-10) ? 1.0 / (1.0 - eta / largest * x) : 0.0;
  };
  return {"poisson " + std::to_string(eta),
          SpectralTransform::poisson(eta),
          {.s = [=](double x) { return x * g(x); }, .g = g, .poisson = true}};
}

TransformCase reciprocal_case(const std::string& name, const std::vector<double>& xi, int r) {
  const auto rho = [xi](double x) {
    double sum = 0.0;
    for (std::size_t p = 0; p < xi.size(); ++p) sum += xi[p] * std::pow(x, static_cast<double>(p));
    return sum;
  };
  return {name,
          SpectralTransform::reciprocal(xi, r),
          {.s = [=](double x) { return std::pow(x, r) / rho(x); },
           .g = [=](double x) { return std::pow(x, r - 1) / rho(x); }}};
}

TransformCase truncation_case(Index d) {
  return {"truncation", SpectralTransform::truncation(d), {.top = d}};
}

TransformCase callable_case(const std::string& name, std::function<double(double)> s,
                            double slope_at_zero) {
  const auto g = [=](double x) { return x == 0.0 ? slope_at_zero : s(x) / x; };
  return {name, SpectralTransform::callable(name, s), {.s = s, .g = g}};
}

TransformCase diffusion_case(double t) {
  TransformCase result = callable_case(
      "diffusion", [=](double x) { return std::expm1(t * x); }, t);
  result.transform = SpectralTransform::diffusion(t);
  return result;
}

TransformCase smooth_step_case(double c, int p) {
  const double scale = std::pow(c, p);
  return {"smooth step",
          SpectralTransform::smooth_step(c, p),
          {.s = [=](double x) { return std::pow(x, p) / (std::pow(x, p) + scale); },
           .g = [=](double x) { return std::pow(x, p - 1) / (std::pow(x, p) + scale); }},
          // As for a power that is not a whole number: a long series, divided by λ.
          1e-6};
}

TransformCase sum_case(const std::string& name,
                       const std::vector<std::pair<double, TransformCase>>& terms) {
  std::vector<TransformTerm> weighted;
  double tolerance = 0.0;
  for (const auto& [weight, term] : terms) {
    weighted.push_back({weight, term.transform});
    tolerance = std::max(tolerance, term.coefficient_tolerance);
  }
  const auto total = [terms](std::function<double(double)> reference::Transform::*part, double x) {
    double sum = 0.0;
    for (const auto& [weight, term] : terms) sum += weight * (term.exact.*part)(x);
    return sum;
  };
  return {name,
          SpectralTransform::sum(weighted),
          {.s = [=](double x) { return total(&reference::Transform::s, x); },
           .g = [=](double x) { return total(&reference::Transform::g, x); }},
          tolerance};
}

std::vector<TransformCase> transform_cases(const GramOperator& gram,
                                           const reference::Dense& dense) {
  const double unit = 1.0 / dense.largest();
  std::vector<TransformCase> all;
  for (const int p : {1, 2, 3, 8}) all.push_back(power_case(p));
  // Smooth only down to 0: if the bounds reach below it, Chebyshev converges slowly and reports it
  // (SpectralAction, ReportsTheErrorOfAPowerWithAKink).
  if (gram.bounds().lower >= 0.0) {
    all.push_back(power_case(2.5));
    all.push_back(power_case(3.7));
  }
  all.push_back(polynomial_case("polynomial 3", {0.5, 0.3 * unit, 1.2 * unit * unit}));
  all.push_back(polynomial_case("polynomial with gaps", {0.0, unit, 0.0, 0.7 * std::pow(unit, 3)}));
  all.push_back(inverse_laplacian_case(0.9 * unit));
  // Several components may keep their eigenvectors: PoissonLeading has its own tests.
  const KnownEigenspace* known = gram.known_eigenspace();
  if (known && known->dimension() == 1 && known->eigenvalue() > 0.0) {
    all.push_back(poisson_case(0.9, dense.largest()));
    all.push_back(poisson_case(1.0, dense.largest()));
  }
  all.push_back(reciprocal_case("reciprocal 1, r=1", {1.0, -0.5 * unit, 0.2 * unit * unit}, 1));
  all.push_back(reciprocal_case("reciprocal constant, r=2", {2.0}, 2));
  all.push_back(reciprocal_case("reciprocal 1, r=2", {1.0, -0.6 * unit}, 2));
  all.push_back(reciprocal_case("reciprocal 2, r=2", {0.8, 0.1 * unit, 0.3 * unit * unit}, 2));
  all.push_back(diffusion_case(1.3 * unit));
  all.push_back(truncation_case(dense.widest_gap(2, 5)));
  all.push_back(callable_case(
      "sinh", [=](double x) { return std::sinh(unit * x); }, unit));
  all.push_back(smooth_step_case(0.6 / unit, 6));
  all.push_back(sum_case("sum of all kinds", {{0.7, inverse_laplacian_case(0.9 * unit)},
                                              {0.2, inverse_laplacian_case(0.5 * unit)},
                                              {1.5, power_case(2)},
                                              {0.4, polynomial_case("", {0.5, 0.3 * unit})},
                                              {0.3 / unit, diffusion_case(1.3 * unit)},
                                              {2.0 / unit, smooth_step_case(0.6 / unit, 4)}}));
  all.push_back(sum_case("sum of powers", {{0.3, power_case(1)}, {0.6 * unit, power_case(2)}}));
  all.push_back(sum_case("sum of series",
                         {{0.3, diffusion_case(unit)}, {0.6, smooth_step_case(0.5 / unit, 4)}}));
  all.push_back(sum_case("weighted Laplacian", {{0.3, inverse_laplacian_case(0.9 * unit)}}));
  return all;
}

}  // namespace stkr::cases
