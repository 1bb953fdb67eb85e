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
#include "transform/action_parts.hpp"
#include "transform/chebyshev.hpp"
#include "transform/divided_difference.hpp"
#include "transform/operator_polynomial.hpp"
#include "transform/reciprocal_poles.hpp"
#include "transform/reciprocal_quotient.hpp"

namespace stkr {

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
  ResidentPair over_parts(Apply&& apply) {
    ResidentPair total;
    for (const Part& part : parts) {
      ResidentPair image = apply(*part.action);
      const auto add = [&](const ResidentBlock& block, ResidentBlock& sum) {
        if (block.empty()) return;
        sum = combination(gram, part.weight, block, sum.empty() ? 0.0 : 1.0,
                          sum.empty() ? block : sum, context.threads);
      };
      add(image.known, total.known);
      add(image.fresh, total.fresh);
      keep(part.action->inner());
    }
    return total;
  }

  SolverOptions inner_options(double tolerance) const {
    return {tolerance, options.max_iterations};
  }

  // Q⁻¹ b, from a start that may be null.
  ResidentBlock solve_reciprocal(const ResidentBlock& b, const ResidentBlock* start,
                                 double tolerance) {
    if (factor) return ResidentBlock(factor->solve(b.to_host()));
    const OperatorPolynomial q(counted, reciprocal->coefficients, context.threads);
    const KnownEigenspace* known = gram.known_eigenspace();
    Deflation deflation;
    if (known && known->dimension() > 0) {
      deflation = {known, reciprocal->rho(known->eigenvalue())};
    }
    return solve_definite(q, b, start, tolerance, deflation);
  }

  // (I - ηS)⁻¹ b on the complement of the leading eigenvectors
  Matrix solve_poisson(ConstMatrixRef b, double tolerance) {
    Matrix rest = b;
    removed->restrict_to_rest(rest, context.threads);
    const std::vector<double> coefficients{1.0, -removed->eta()};
    const OperatorPolynomial q(counted, coefficients, context.threads);
    // Any eigenvalue serves: nothing is left of these eigenvectors in b.
    return solve_definite(q, ResidentBlock::of(q, std::move(rest)), nullptr, tolerance,
                          {&removed->space(), 1.0})
        .to_host();
  }

  // x += U diag(factors) Uᵀ b
  void add_leading(const Vector& factors, ConstMatrixRef b, Matrix& x) const {
    // The factors are those of the own groups, and the sums are over processes.
    if (!any_over(gram.shared_rows(), !factors.isZero(0.0))) return;
    const Matrix coordinates = removed->coefficients(b, context.threads);
    removed->space().add(factors.asDiagonal() * coordinates, x, context.threads);
  }

  ResidentBlock solve_definite(const LinearOperator& q, const ResidentBlock& b,
                               const ResidentBlock* start, double tolerance,
                               const Deflation& deflation) {
    CgOptions cg;
    static_cast<SolverOptions&>(cg) = inner_options(tolerance);
    cg.deflation = deflation;
    ResidentSolve solved = solve_cg(q, b, start, cg, context.inner());
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
  ResidentBlock known_part(ResidentBlock theta) const {
    if (reciprocal->r == 1) return theta;
    std::vector<double> power(reciprocal->r, 0.0);
    power.back() = 1.0;
    return apply_polynomial(counted, power, theta, context.threads);
  }

  // q(S) b from θ
  ResidentBlock fresh_part(const ResidentBlock& theta, double delta) const {
    return apply_polynomial(counted, shifted_quotient(*reciprocal, delta), theta, context.threads);
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

  ResidentBlock known(const ResidentBlock& b, const ResidentBlock* start, double tolerance) {
    if (polynomial)
      return apply_polynomial(counted, *polynomial, b, context.threads);  // Σ π_p λ^(p-1)
    if (reciprocal) return known_part(solve_reciprocal(b, start, tolerance));
    if (!parts.empty()) {
      return over_parts([&](const SpectralAction& part) -> ResidentPair {
               return {part.known_roughly(b, tolerance), {}};
             })
          .known;
    }
    if (!truncation && !removed && !eigen) {
      return apply_chebyshev(counted, series, b, context.threads);
    }
    return ResidentBlock::of(gram, known_on_host(b.to_host(), tolerance));
  }

  Matrix known_on_host(const Matrix& b, double tolerance) {
    if (truncation) return truncation->known(b);
    if (eigen) return eigen->apply(transform, b, 0.0);
    Matrix result = solve_poisson(b, tolerance);
    add_leading(removed->known_factors(), b, result);
    return result;
  }

  ResidentPair pair(const ResidentBlock& b, const ResidentBlock* start) {
    if (!parts.empty()) {
      return over_parts([&](const SpectralAction& part) { return part.apply_pair(b, nullptr); });
    }
    const double delta = gram.self_term();
    if (reciprocal) {
      ResidentBlock theta = solve_reciprocal(b, start, options.tolerance);
      const auto* laplacian = std::get_if<InverseLaplacianTransform>(&transform.form());
      if (laplacian && !factor && gram.nonnegative()) {
        refined_products += refine_faint_rows(
            gram, laplacian->eta, b, inner_options(options.tolerance), context.inner(), theta);
      }
      ResidentPair result;
      if (delta != 0.0) result.fresh = fresh_part(theta, delta);
      result.known = known_part(std::move(theta));
      return result;
    }
    if (polynomial || (!truncation && !removed && !eigen)) {
      ResidentPair result{known(b, nullptr, options.tolerance), {}};
      if (delta == 0.0) return result;
      if (polynomial) {
        std::vector<double> s{0.0};
        s.insert(s.end(), polynomial->begin(), polynomial->end());
        result.fresh = apply_polynomial(counted, divided_difference(s, delta), b, context.threads);
      } else {
        result.fresh = apply_chebyshev(counted, fresh_series(delta), b, context.threads);
      }
      return result;
    }
    TransformedPair found = pair_on_host(b.to_host(), delta);
    ResidentPair result{ResidentBlock::of(gram, std::move(found.known)), {}};
    if (delta != 0.0) result.fresh = ResidentBlock(std::move(found.fresh));
    return result;
  }

  TransformedPair pair_on_host(const Matrix& b, double delta) {
    TransformedPair result;
    if (removed && delta != 0.0) {
      result.known = solve_poisson(b, options.tolerance);
      result.fresh = result.known / (1.0 - removed->eta() * delta);
      add_leading(removed->known_factors(), b, result.known);
      add_leading(removed->fresh_factors(delta), b, result.fresh);
      return result;
    }
    result.known = known_on_host(b, options.tolerance);
    if (delta == 0.0) return result;
    if (truncation) {
      result.fresh =
          truncation->fresh(b, delta, counted, [&](const auto& shifted, const Matrix& rest) {
            return solve_definite(shifted, ResidentBlock::of(shifted, rest), nullptr,
                                  options.tolerance, {})
                .to_host();
          });
    } else {
      result.fresh = eigen->apply(transform, b, delta);
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
  if (impl_->polynomial) {
    check_cancelled();
    // g = Σ π_p λ^(p-1)
    apply_polynomial<Matrix>(impl_->counted, *impl_->polynomial, b, out, nullptr,
                             impl_->context.threads);
  } else {
    out = known(ResidentBlock::of(impl_->gram, b)).to_host();
  }
}

TransformedPair SpectralAction::apply_pair(ConstMatrixRef b) const {
  ResidentPair pair = apply_pair(ResidentBlock::of(impl_->gram, b), nullptr);
  return {std::move(pair.known).to_host(), std::move(pair.fresh).to_host()};
}

ResidentBlock SpectralAction::known(const ResidentBlock& b, const ResidentBlock* start) const {
  check_cancelled();
  return impl_->known(b, start, impl_->options.tolerance);
}

ResidentBlock SpectralAction::known_roughly(const ResidentBlock& b, double tolerance) const {
  check_cancelled();
  return impl_->known(b, nullptr, tolerance);
}

ResidentPair SpectralAction::apply_pair(const ResidentBlock& b, const ResidentBlock* start) const {
  check_cancelled();
  return impl_->pair(b, start);
}

}  // namespace stkr
