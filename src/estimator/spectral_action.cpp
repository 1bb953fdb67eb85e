#include "stkr/estimator/spectral_action.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cmath>

#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/solver/cg.hpp"
#include "stkr/solver/dense.hpp"
#include "stkr/solver/eigenpairs.hpp"
#include "stkr/solver/spectrum.hpp"
#include "stkr/transform/chebyshev.hpp"
#include "stkr/transform/operator_polynomial.hpp"

namespace stkr {
namespace {

// S, with its products counted.
class CountedOperator : public LinearOperator {
 public:
  explicit CountedOperator(const LinearOperator& op) : op_(op) {}
  Index size() const override { return op_.size(); }
  void apply(ConstMatrixRef x, MatrixRef y) const override {
    op_.apply(x, y);
    ++count_;
  }
  void apply_step(double a, ConstMatrixRef x, double b, double c, MatrixRef y) const override {
    op_.apply_step(a, x, b, c, y);
    ++count_;
  }
  Index panel_columns() const override { return op_.panel_columns(); }
  long count() const { return count_; }

 private:
  const LinearOperator& op_;
  mutable std::atomic<long> count_ = 0;  // panels may be filtered at the same time
};

}  // namespace

GramSpectrum known_spectrum(const GramOperator& gram) {
  GramSpectrum result;
  result.bounds = gram.bounds();
  result.largest = result.bounds.upper;
  result.smallest = result.bounds.lower;
  return result;
}

GramSpectrum estimated_spectrum(const GramOperator& gram, std::uint64_t seed, int threads,
                                std::stop_token cancel) {
  const SpectrumEstimate estimate =
      estimate_spectrum(gram, {.seed = seed, .threads = threads, .cancel = cancel});
  const SpectrumBounds known = gram.bounds();
  GramSpectrum result;
  result.bounds = {std::max(known.lower, estimate.bounds.lower),
                   std::min(known.upper, estimate.bounds.upper)};
  result.largest = estimate.largest;
  result.smallest = estimate.smallest;
  result.estimated = true;
  // A known eigenvector at the upper bound is the top of the spectrum, however far Lanczos got.
  const KnownEigenspace* space = gram.known_eigenspace();
  if (space && space->dimension() > 0 && space->eigenvalue() > result.largest) {
    result.largest = space->eigenvalue();
    result.bounds.upper = std::max(result.bounds.upper, result.largest);
  }
  return result;
}

double largest_eigenvalue(const GramOperator& gram, std::uint64_t seed, int threads,
                          std::stop_token cancel) {
  const KnownEigenspace* space = gram.known_eigenspace();
  if (space && space->dimension() > 0 && space->eigenvalue() == gram.bounds().upper) {
    return space->eigenvalue();
  }
  const GramSpectrum spectrum = estimated_spectrum(gram, seed, threads, cancel);
  double largest = spectrum.largest;
  // η = 0.999999/λ₁ needs more digits of λ₁ than Lanczos has after its few steps where the top of
  // the spectrum is crowded.
  if (spectrum.bounds.upper - largest > 1e-9 * largest) {
    EigenpairOptions precise;
    precise.seed = seed;
    precise.threads = threads;
    precise.control.cancel = cancel;
    largest = std::max(largest, top_eigenpairs(gram, 1, precise).values[0]);
  }
  if (!(largest > 0.0)) {
    throw ValueError(
        "the kernel is zero on these samples (no edges, or points too far apart for its length "
        "scale): there is nothing to learn from");
  }
  return largest;
}

struct SpectralAction::Implementation {
  Implementation(const GramOperator& gram_in, SpectralTransform transform_in,
                 ActionOptions options_in)
      : gram(gram_in),
        counted(gram_in),
        transform(std::move(transform_in)),
        options(std::move(options_in)),
        spectrum(known_spectrum(gram_in)),
        polynomial(transform.polynomial_coefficients()),
        reciprocal(transform.reciprocal_form()) {
    inner.reason = StopReason::converged;
  }

  void estimate() {
    spectrum = estimated_spectrum(gram, options.seed, options.threads, options.control.cancel);
  }

  // ρ(λ) = λ^r/s(λ) must be positive on the spectrum, or Q is singular or indefinite. Zero to
  // rounding is zero: λ₁ is only known that well.
  bool pole_at(double lambda) const {
    constexpr double kRounding = 1e-12;
    double terms = 0.0, power = 1.0;  // Σ |ξ_p λ^p|
    for (const double xi : reciprocal->coefficients) {
      terms += std::abs(xi * power);
      power *= lambda;
    }
    return !(reciprocal->rho(lambda) > kRounding * terms);
  }

  bool pole_free(double lower, double upper) const {
    constexpr int kSteps = 4096;
    const auto at = [&](int k) { return lower + (upper - lower) * k / kSteps; };
    const auto rho = [&](double lambda) { return reciprocal->rho(lambda); };
    for (int k = 0; k <= kSteps; ++k) {
      if (pole_at(at(k))) return false;
      // A minimum between two steps may touch zero: narrow it down.
      const bool dips = k >= 2 && rho(at(k - 1)) < rho(at(k - 2)) && rho(at(k - 1)) <= rho(at(k));
      if (!dips) continue;
      double left = at(k - 2), right = at(k);
      for (int step = 0; step < 100; ++step) {
        const double third = (right - left) / 3.0;
        if (rho(left + third) < rho(right - third)) {
          right -= third;
        } else {
          left += third;
        }
      }
      if (pole_at(0.5 * (left + right))) return false;
    }
    return true;
  }

  // Q made explicit and factorised: for few samples whose products cost N² anyway, N³/3 once is
  // less than the iterations.
  void factorize() {
    const Index n = gram.size();
    const OperatorPolynomial q(counted, reciprocal->coefficients);
    const Matrix dense = product(q, Matrix::Identity(n, n));
    factor.emplace(0.5 * (dense + dense.transpose()));
  }

  void prepare_reciprocal() {
    check_poles();
    if (!gram.sparse() && gram.size() <= options.dense_below) factorize();
  }

  void check_poles() {
    // The bounds may be loose (a trace): only where they do not settle it is λ₁ computed.
    if (pole_free(spectrum.bounds.lower, spectrum.bounds.upper)) return;
    if (!spectrum.estimated) estimate();
    if (pole_free(spectrum.smallest, spectrum.largest)) return;
    if (const auto* laplacian = std::get_if<InverseLaplacianTransform>(&transform.form())) {
      throw ValueError(fmt::format(
          "inverse Laplacian: eta = {:.8g} is at or above 1/lambda_1 = {:.8g}; expected 0 < eta < "
          "1/lambda_1",
          laplacian->eta, 1.0 / spectrum.largest));
    }
    throw ValueError(fmt::format(
        "reciprocal transform: xi_0 + xi_1 lambda + ... is not positive on the whole spectrum "
        "[{:.6g}, {:.6g}], so s has a pole there; change the coefficients",
        spectrum.smallest, spectrum.largest));
  }

  void prepare_truncation(Index d) {
    const Index n = gram.size();
    EigenpairOptions pairs_options;
    pairs_options.tolerance = options.tolerance;
    if (!gram.sparse()) pairs_options.dense_below = options.dense_below;
    pairs_options.seed = options.seed;
    pairs_options.threads = options.threads;
    pairs_options.control = options.control;
    Eigenpairs pairs = top_eigenpairs(counted, std::min(d, n), pairs_options);
    if (pairs.summary.reason == StopReason::cancelled) throw Cancelled("stopped by the caller");
    const Index positive = (pairs.values.array() > 1e-12 * std::abs(pairs.values[0])).count();
    if (positive < d) {
      throw ValueError(fmt::format(
          "truncation: d = {} but the kernel has only {} positive eigenvalues on these samples; "
          "choose d <= {}",
          d, positive, positive));
    }
    inner = pairs.summary;
    eigenvectors = std::move(pairs.vectors);
  }

  // Q⁻¹ b
  Matrix solve_reciprocal(ConstMatrixRef b) {
    if (factor) return factor->solve(b);
    const OperatorPolynomial q(counted, reciprocal->coefficients);
    CgOptions cg;
    cg.tolerance = options.tolerance;
    cg.max_iterations = options.max_iterations;
    cg.threads = options.threads;
    cg.control.cancel = options.control.cancel;
    const KnownEigenspace* space = gram.known_eigenspace();
    if (space && space->dimension() > 0) {
      cg.deflation = {space, reciprocal->rho(space->eigenvalue())};
    }
    SolveResult solved = solve_cg(q, b, cg);
    if (solved.summary.reason == StopReason::cancelled) throw Cancelled("stopped by the caller");
    // Keep the first that failed, else the longest.
    if (inner.converged() && (!solved.summary.converged() || inner.solver.empty() ||
                              solved.summary.iterations > inner.iterations)) {
      inner = std::move(solved.summary);
    }
    return std::move(solved.solution);
  }

  // out = S^(r-1) Q⁻¹ b
  void apply_reciprocal(ConstMatrixRef b, MatrixRef out) {
    std::vector<double> power(reciprocal->r, 0.0);
    power.back() = 1.0;
    apply_polynomial(counted, power, solve_reciprocal(b), out);
  }

  const GramOperator& gram;
  CountedOperator counted;
  SpectralTransform transform;
  ActionOptions options;
  GramSpectrum spectrum;
  std::optional<std::vector<double>> polynomial;
  std::optional<ReciprocalTransform> reciprocal;
  std::optional<DenseFactorization> factor;  // of Q
  ChebyshevSeries series;
  Matrix eigenvectors;
  SolveSummary inner;
};

SpectralAction::SpectralAction(const GramOperator& gram, SpectralTransform transform,
                               ActionOptions options)
    : impl_(std::make_unique<Implementation>(gram, std::move(transform), std::move(options))) {
  if (!std::isfinite(impl_->spectrum.bounds.lower) ||
      !std::isfinite(impl_->spectrum.bounds.upper)) {
    impl_->estimate();
  }
  const auto& form = impl_->transform.form();
  if (impl_->polynomial) return;
  if (impl_->reciprocal) {
    impl_->prepare_reciprocal();
  } else if (const auto* truncation = std::get_if<TruncationTransform>(&form)) {
    impl_->prepare_truncation(truncation->dimension);
  } else {
    const SpectralTransform& s = impl_->transform;
    impl_->series =
        chebyshev_quotient([&s](double lambda) { return s(lambda); }, impl_->spectrum.bounds,
                           {.tolerance = 0.01 * impl_->options.tolerance});
  }
}

SpectralAction::~SpectralAction() = default;

Index SpectralAction::size() const { return impl_->gram.size(); }
const GramSpectrum& SpectralAction::spectrum() const { return impl_->spectrum; }
const SpectralTransform& SpectralAction::transform() const { return impl_->transform; }
double SpectralAction::approximation_error() const { return impl_->series.error; }
long SpectralAction::products() const { return impl_->counted.count(); }
const SolveSummary& SpectralAction::inner() const { return impl_->inner; }

void SpectralAction::check_cancelled() const {
  if (impl_->options.control.cancel.stop_requested()) throw Cancelled("stopped by the caller");
}

void SpectralAction::apply(ConstMatrixRef b, MatrixRef out) const {
  check_apply_shapes(*this, b, out, "SpectralAction::apply");
  check_cancelled();
  if (impl_->polynomial) {
    // g = Σ π_p λ^(p-1)
    apply_polynomial(impl_->counted, *impl_->polynomial, b, out);
  } else if (impl_->reciprocal) {
    impl_->apply_reciprocal(b, out);
  } else if (impl_->eigenvectors.size() > 0) {
    const int threads = impl_->options.threads;
    out = tall_times_small(impl_->eigenvectors, tall_product(impl_->eigenvectors, b, threads),
                           threads);
  } else {
    apply_chebyshev(impl_->counted, impl_->series, b, out);
  }
}

}  // namespace stkr
