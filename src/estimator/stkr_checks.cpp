#include "estimator/stkr_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimator/leading_space.hpp"
#include "solver/spectrum.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {

void judge_residual(const SharedRows* rows, std::span<const Index> labeled, ConstMatrixRef y,
                    const Vector& shifts, const StkrOptions& options, Fit& fit) {
  const double shift = static_cast<double>(labeled.size()) * *options.beta;
  Matrix ridge = shift * fit.alpha;
  if (shifts.size() > 0) ridge = shifts.asDiagonal() * ridge;
  const Matrix r = gather_samples(rows, fit.fitted, labeled) + ridge - y;
  SolveSummary& solve = fit.summary.solve;
  solve.residuals.resize(y.cols());
  for (Index c = 0; c < y.cols(); ++c) {
    const double scale = y.col(c).norm();
    solve.residuals[c] = scale > 0.0 ? r.col(c).norm() / scale : 0.0;
  }
  if (solve.converged() && solve.worst_residual() > options.tolerance) {
    solve.reason = StopReason::stagnated;
    solve.message = fmt::format(
        "the residual is {:.1e}, above the tolerance {:.1e}: the system is ill-conditioned; raise "
        "the ridge or the tolerance",
        solve.worst_residual(), options.tolerance);
  }
}

void judge_approximation(const SpectralAction& action, Index size, Index labels,
                         const StkrOptions& options, FitSummary& summary) {
  if (!(action.approximation_error() > 0.0)) return;
  summary.approximation_error = action.approximation_error();
  summary.answer_error = action.approximation_error() * static_cast<double>(size) /
                         (static_cast<double>(labels) * *options.beta);
  if (action.approximation_converged() || *summary.answer_error <= options.tolerance) return;
  summary.solve.reason = StopReason::stagnated;
  summary.solve.message = fmt::format(
      "s is too rough for a polynomial: its error of {:.1e} can change f by a relative {:.1e} at "
      "this ridge; smooth s, raise the ridge, or use at most {} samples, which are diagonalized",
      *summary.approximation_error, *summary.answer_error, options.execution.factorize_below);
}

namespace {

void describe_truncation(const LeadingSpace& space, const StkrOptions& options,
                         FitSummary& summary) {
  const auto* truncation = std::get_if<TruncationTransform>(&options.transform.form());
  warn_of_copies(options.transform.name(), truncation->dimension, space, summary.warnings);
}

}  // namespace

void describe_fit(const GramOperator& gram, const SpectralAction& action,
                  const StkrOptions& options, const Context& context, FitSummary& summary) {
  SpectrumBounds at_hand = action.spectrum().bounds;
  if (at_hand.lower < 0.0) {
    const double smallest = action.spectrum().estimated
                                ? action.spectrum().smallest
                                : estimate_spectrum(gram, {.max_steps = 24}, context).smallest;
    // Rounding makes some eigenvalues near 0 negative.
    const bool rounding = smallest > -1e-12 * std::abs(action.spectrum().largest);
    at_hand.lower = rounding ? 0.0 : std::min(smallest, 0.0);
  }
  const TransformValidity validity = action.transform().validate(at_hand);
  if (!validity.valid()) {
    summary.warnings.push_back(fmt::format(
        "{}: the conditions of Theorem 1 do not all hold on the spectrum [{:.4g}, {:.4g}]: {}",
        action.transform().describe(), at_hand.lower, at_hand.upper, validity.failures()));
  }
  summary.validity = validity;
  summary.spectrum = at_hand;
  if (const LeadingSpace* space = action.truncation())
    describe_truncation(*space, options, summary);
}

}  // namespace stkr
