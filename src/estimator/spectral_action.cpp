#include "estimator/spectral_action.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "estimator/eigenbasis_action.hpp"
#include "estimator/gram_spectrum.hpp"
#include "estimator/poisson_leading.hpp"
#include "estimator/truncation_action.hpp"
#include "faint_rows.hpp"
#include "linop/counted_operator.hpp"
#include "solver/dense.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/solver/krylov.hpp"
#include "transform/chebyshev.hpp"
#include "transform/divided_difference.hpp"
#include "transform/operator_polynomial.hpp"
#include "transform/reciprocal_poles.hpp"

namespace stkr {
std::vector<TransformTerm> action_parts(const SpectralTransform& transform) {
  const std::vector<TransformTerm> terms = terms_of(transform);
  if (terms.size() < 2 || transform.polynomial_coefficients()) return {{1.0, transform}};
  std::vector<TransformTerm> parts, polynomials, others;
  for (const TransformTerm& term : terms) {
    auto& kind = term.transform.polynomial_coefficients() ? polynomials
                 : term.transform.reciprocal_form()       ? parts
                                                          : others;
    kind.push_back(term);
  }
  if (others.size() == terms.size()) return {{1.0, transform}};
  for (std::vector<TransformTerm>* together : {&polynomials, &others}) {
    if (!together->empty()) parts.push_back({1.0, SpectralTransform::sum(std::move(*together))});
  }
  return parts;
}

struct SpectralAction::Implementation {
  Implementation(const GramOperator& gram_in, SpectralTransform transform_in,
                 ActionOptions options_in, const Context& context_in)
      : gram(gram_in),
        counted(gram_in),
        transform(std::move(transform_in)),
        options(std::move(options_in)),
        context(context_in),
        spectrum(options.spectrum ? *options.spectrum : known_spectrum(gram_in)),
        polynomial(transform.polynomial_coefficients()),
        reciprocal(transform.reciprocal_form()) {
    inner.reason = StopReason::converged;
  }

  void estimate() { spectrum = estimated_spectrum(gram, context); }

  // Q formed and factorized: for few samples whose products cost N² anyway, N³/3 once is cheaper
  // than the iterations.
  void factorize() {
    const Index n = gram.size();
    const std::vector<double>& xi = reciprocal->coefficients;
    if (xi.size() == 2 && !gram.root_weights()) {
      // ξ₀ + ξ₁ S is as good as K itself: N² values instead of N products.
      std::vector<Index> all(static_cast<std::size_t>(n));
      std::iota(all.begin(), all.end(), Index{0});
      Matrix dense = gram.block(all, all) * (xi[1] / static_cast<double>(n));
      dense.diagonal().array() += xi[0];
      factor.emplace(0.5 * (dense + dense.transpose()));
      formed_products = 1;  // every kernel value once
      return;
    }
    const OperatorPolynomial q(counted, xi, context.threads);
    const Matrix dense = product(q, Matrix::Identity(n, n));
    factor.emplace(0.5 * (dense + dense.transpose()));
  }

  void prepare_reciprocal() {
    check_poles();
    if (!gram.sparse() && gram.size() <= options.dense_below && !gram.shared_rows()) factorize();
  }

  void check_poles() {
    // The bounds may be loose (a trace): λ₁ is computed only if they do not decide.
    if (pole_free(*reciprocal, spectrum.bounds.lower, spectrum.bounds.upper)) return;
    if (!spectrum.estimated) estimate();
    if (pole_free(*reciprocal, spectrum.smallest, spectrum.largest)) return;
    if (const auto* laplacian = std::get_if<InverseLaplacianTransform>(&transform.form())) {
      const bool limit = laplacian->eta * spectrum.largest < 1.0 + 1e-6;
      throw ParameterError(fmt::format(
          "inverse Laplacian: eta = {:.8g} is at or above 1/lambda_1 = {:.8g}; expected 0 < eta < "
          "1/lambda_1{}",
          laplacian->eta, 1.0 / spectrum.largest, limit ? ", or transform poisson" : ""));
    }
    throw ParameterError(fmt::format(
        "reciprocal transform: xi_0 + xi_1 lambda + ... is not positive on the whole spectrum "
        "[{:.6g}, {:.6g}], so s has a pole there; change the coefficients",
        spectrum.smallest, spectrum.largest));
  }

  void prepare_sum(const std::vector<TransformTerm>& terms) {
    ActionOptions part_options = options;
    for (const TransformTerm& term : terms) {
      part_options.spectrum = spectrum;
      parts.push_back({term.weight, std::make_unique<SpectralAction>(gram, term.transform,
                                                                     part_options, context)});
      spectrum = parts.back().action->spectrum();  // a part may have had to estimate it
    }
  }

  // Σ_k a_k apply(part_k)
  template <class Apply>
  TransformedPair over_parts(Apply&& apply) {
    TransformedPair total;
    for (const Part& part : parts) {
      const TransformedPair image = apply(*part.action);
      if (total.known.size() == 0) {
        total = {part.weight * image.known, part.weight * image.fresh};
      } else {
        total.known += part.weight * image.known;
        total.fresh += part.weight * image.fresh;
      }
      keep(part.action->inner());
    }
    return total;
  }

  SolverOptions inner_options(double tolerance) const {
    return {tolerance, options.max_iterations};
  }

  // Q⁻¹ b
  Matrix solve_reciprocal(ConstMatrixRef b, double tolerance) {
    if (factor) return factor->solve(b);
    const OperatorPolynomial q(counted, reciprocal->coefficients, context.threads);
    const KnownEigenspace* known = gram.known_eigenspace();
    Deflation deflation;
    if (known && known->dimension() > 0) {
      deflation = {known, reciprocal->rho(known->eigenvalue())};
    }
    return solve_definite(q, b, tolerance, deflation);
  }

  // (I - ηS)⁻¹ b on the complement of the leading eigenvectors
  Matrix solve_poisson(ConstMatrixRef b, double tolerance) {
    Matrix rest = b;
    removed->restrict_to_rest(rest, context.threads);
    const std::vector<double> coefficients{1.0, -removed->eta()};
    const OperatorPolynomial q(counted, coefficients, context.threads);
    // Any eigenvalue serves: nothing is left of these eigenvectors in b.
    return solve_definite(q, rest, tolerance, {&removed->space(), 1.0});
  }

  // x += U diag(factors) Uᵀ b
  void add_leading(const Vector& factors, ConstMatrixRef b, Matrix& x) const {
    if (factors.isZero(0.0)) return;
    const Matrix coordinates = removed->coefficients(b, context.threads);
    removed->space().add(factors.asDiagonal() * coordinates, x, context.threads);
  }

  Matrix solve_definite(const LinearOperator& q, ConstMatrixRef b, double tolerance,
                        const Deflation& deflation) {
    CgOptions cg;
    static_cast<SolverOptions&>(cg) = inner_options(tolerance);
    cg.deflation = deflation;
    SolveResult solved = solve_cg(q, b, cg, context.inner());
    if (solved.summary.reason == StopReason::cancelled) throw Cancelled("stopped by the caller");
    if (tolerance > options.tolerance) return std::move(solved.solution);  // an estimate
    keep(solved.summary);
    return std::move(solved.solution);
  }

  // Keeps the first inner solve that failed, else the longest.
  void keep(const SolveSummary& summary) {
    if (summary.solver.empty() || !inner.converged()) return;
    if (!summary.converged() || inner.solver.empty() || summary.iterations > inner.iterations) {
      inner = summary;
    }
  }

  // S^(r-1) θ, θ = Q⁻¹ b
  Matrix known_part(const Matrix& theta) const {
    std::vector<double> power(reciprocal->r, 0.0);
    power.back() = 1.0;
    return polynomial_product(power, theta);
  }

  // q(S) b from θ: λ^r/ρ(λ) - δ^r/ρ(δ) = (λ^r ρ(δ) - δ^r ρ(λ))/(ρ(λ) ρ(δ)), and its numerator has
  // the factor λ - δ.
  Matrix fresh_part(const Matrix& theta, double delta) const {
    const auto& xi = reciprocal->coefficients;
    std::vector<double> numerator(std::max(xi.size(), static_cast<std::size_t>(reciprocal->r) + 1),
                                  0.0);
    for (std::size_t p = 0; p < xi.size(); ++p) {
      numerator[p] = -std::pow(delta, reciprocal->r) * xi[p];
    }
    numerator[reciprocal->r] += reciprocal->rho(delta);
    return polynomial_product(divided_difference(numerator, delta), theta) / reciprocal->rho(delta);
  }

  Matrix polynomial_product(const std::vector<double>& coefficients, ConstMatrixRef x) const {
    Matrix result(x.rows(), x.cols());
    apply_polynomial<Matrix>(counted, coefficients, x, result, nullptr, context.threads);
    return result;
  }

  const ChebyshevSeries& fresh_series(double delta) {
    if (delta == 0.0) return series;
    if (shifted_series.coefficients.empty()) shifted_series = approximate(delta);
    return shifted_series;
  }

  ChebyshevSeries approximate(double delta) const {
    return chebyshev_quotient([this](double lambda) { return transform(lambda); }, spectrum.bounds,
                              {.at = delta, .tolerance = 0.01 * options.tolerance});
  }

  Matrix chebyshev_product(const ChebyshevSeries& g, ConstMatrixRef b) const {
    Matrix result(b.rows(), b.cols());
    apply_chebyshev<Matrix>(counted, g, b, result, context.threads);
    return result;
  }

  Matrix known(ConstMatrixRef b, double tolerance) {
    if (!parts.empty()) {
      return over_parts([&](const SpectralAction& part) -> TransformedPair {
               return {part.apply_roughly(b, tolerance), {}};
             })
          .known;
    }
    if (polynomial) return polynomial_product(*polynomial, b);  // g = Σ π_p λ^(p-1)
    if (reciprocal) return known_part(solve_reciprocal(b, tolerance));
    if (truncation) return truncation->known(b);
    if (removed) {
      Matrix result = solve_poisson(b, tolerance);
      add_leading(removed->known_factors(), b, result);
      return result;
    }
    if (eigen) return eigen->apply(transform, b, 0.0);
    return chebyshev_product(series, b);
  }

  TransformedPair pair(ConstMatrixRef b) {
    if (!parts.empty()) {
      return over_parts([&](const SpectralAction& part) { return part.apply_pair(b); });
    }
    const double delta = gram.self_term();
    TransformedPair result;
    if (reciprocal) {
      Matrix theta = solve_reciprocal(b, options.tolerance);
      const auto* laplacian = std::get_if<InverseLaplacianTransform>(&transform.form());
      if (laplacian && !factor && gram.nonnegative()) {
        refined_products += refine_faint_rows(
            gram, laplacian->eta, b, inner_options(options.tolerance), context.inner(), theta);
      }
      result.known = known_part(theta);
      if (delta != 0.0) result.fresh = fresh_part(theta, delta);
      return result;
    }
    if (removed && delta != 0.0) {
      result.known = solve_poisson(b, options.tolerance);
      result.fresh = result.known / (1.0 - removed->eta() * delta);
      add_leading(removed->known_factors(), b, result.known);
      add_leading(removed->fresh_factors(delta), b, result.fresh);
      return result;
    }
    result.known = known(b, options.tolerance);
    if (delta == 0.0) return result;
    if (polynomial) {
      std::vector<double> s{0.0};
      s.insert(s.end(), polynomial->begin(), polynomial->end());
      result.fresh = polynomial_product(divided_difference(s, delta), b);
    } else if (truncation) {
      result.fresh =
          truncation->fresh(b, delta, counted, [&](const auto& shifted, const auto& rest) {
            return solve_definite(shifted, rest, options.tolerance, {});
          });
    } else {
      result.fresh =
          eigen ? eigen->apply(transform, b, delta) : chebyshev_product(fresh_series(delta), b);
    }
    return result;
  }

  const GramOperator& gram;
  CountedOperator counted;
  SpectralTransform transform;
  ActionOptions options;
  Context context;
  GramSpectrum spectrum;
  std::optional<std::vector<double>> polynomial;
  std::optional<ReciprocalTransform> reciprocal;
  std::optional<DenseFactorization> factor;  // of Q
  ChebyshevSeries series, shifted_series;
  std::optional<EigenbasisAction> eigen;  // if s is too rough for a series
  std::optional<TruncationAction> truncation;
  std::optional<PoissonLeading> removed;
  struct Part {
    double weight;
    std::unique_ptr<SpectralAction> action;
  };
  std::vector<Part> parts;  // of a sum
  long leading_products = 0, refined_products = 0, formed_products = 0;
  SolveSummary inner;
};

SpectralAction::SpectralAction(const GramOperator& gram, SpectralTransform transform,
                               ActionOptions options, const Context& context)
    : impl_(std::make_unique<Implementation>(gram, std::move(transform), std::move(options),
                                             context)) {
  if (!std::isfinite(impl_->spectrum.bounds.lower) ||
      !std::isfinite(impl_->spectrum.bounds.upper)) {
    impl_->estimate();
  }
  const auto& form = impl_->transform.form();
  if (impl_->polynomial) return;
  if (impl_->reciprocal) {
    impl_->prepare_reciprocal();
  } else if (const auto* truncation = std::get_if<TruncationTransform>(&form)) {
    impl_->truncation.emplace(gram, truncation->dimension, impl_->options, context);
    impl_->inner = impl_->truncation->space().summary;
    impl_->leading_products = impl_->inner.products;
  } else if (const auto* poisson = std::get_if<PoissonTransform>(&form)) {
    impl_->removed.emplace(gram, poisson->eta, impl_->options.kept_groups);
  } else if (const auto terms = action_parts(impl_->transform); terms.size() > 1) {
    impl_->prepare_sum(terms);
  } else {
    // Weights make the known bounds loose, and a series on too wide an interval loses digits.
    if (gram.root_weights() && !impl_->spectrum.estimated) impl_->estimate();
    impl_->series = impl_->approximate(0.0);
    if (!impl_->series.converged && gram.size() <= impl_->options.dense_below &&
        !gram.shared_rows()) {
      impl_->eigen.emplace(impl_->counted, context);
      impl_->inner.solver = "eigendecomposition";
    }
  }
}

SpectralAction::~SpectralAction() = default;

Index SpectralAction::size() const { return impl_->gram.size(); }
const SharedRows* SpectralAction::shared_rows() const { return impl_->gram.shared_rows(); }
const GramSpectrum& SpectralAction::spectrum() const { return impl_->spectrum; }
const SpectralTransform& SpectralAction::transform() const { return impl_->transform; }
double SpectralAction::approximation_error() const {
  double of_parts = 0.0;
  for (const auto& part : impl_->parts)
    of_parts += part.weight * part.action->approximation_error();
  if (!impl_->parts.empty()) return of_parts;
  return impl_->eigen ? 0.0 : std::max(impl_->series.error, impl_->shifted_series.error);
}
bool SpectralAction::approximation_converged() const {
  return impl_->eigen ||
         (impl_->series.converged &&
          std::all_of(impl_->parts.begin(), impl_->parts.end(),
                      [](const auto& part) { return part.action->approximation_converged(); }));
}
const LeadingSpace* SpectralAction::truncation() const {
  return impl_->truncation ? &impl_->truncation->space() : nullptr;
}
long SpectralAction::products() const {
  long total = impl_->counted.count() + impl_->leading_products + impl_->refined_products +
               impl_->formed_products;
  for (const auto& part : impl_->parts) total += part.action->products();
  return total;
}
const SolveSummary& SpectralAction::inner() const { return impl_->inner; }

void SpectralAction::check_cancelled() const { impl_->context.check_cancelled(); }

const ProgressSink& SpectralAction::progress() const { return impl_->context.progress; }

void SpectralAction::apply(ConstMatrixRef b, MatrixRef out) const {
  check_apply_shapes(*this, b, out, "SpectralAction::apply");
  check_cancelled();
  if (impl_->polynomial) {
    // g = Σ π_p λ^(p-1)
    apply_polynomial<Matrix>(impl_->counted, *impl_->polynomial, b, out, nullptr,
                             impl_->context.threads);
  } else {
    out = impl_->known(b, impl_->options.tolerance);
  }
}

TransformedPair SpectralAction::apply_pair(ConstMatrixRef b) const {
  check_cancelled();
  return impl_->pair(b);
}

Matrix SpectralAction::apply_roughly(ConstMatrixRef b, double tolerance) const {
  check_cancelled();
  return impl_->known(b, tolerance);
}

double inner_tolerance(double tolerance) { return std::max(0.01 * tolerance, 1e-14); }

int inner_iterations(int max_iterations) { return std::max(10 * max_iterations, 2000); }

}  // namespace stkr
