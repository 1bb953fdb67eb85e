#include "stkr/estimator/stkr.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "ridge_solve.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/stkr_prop.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/solver/spectrum.hpp"

namespace stkr {
namespace {

void check_beta(double beta) {
  if (!(beta > 0.0) || !std::isfinite(beta)) {
    throw ValueError(fmt::format("beta = {}; expected a positive number (1e-2 is usual)", beta));
  }
}

// An N × C block by batches of its columns; in one piece where it is one batch.
template <class Part>
Matrix batched_product(Index size, Index columns, const StkrOptions& options, Part&& part) {
  const Index at_once = options.execution.outputs_at_once;
  if (at_once <= 0 || at_once >= columns) return part(Index{0}, columns);
  Matrix result(size, columns);
  for_batches(columns, at_once, [&](Index first, Index count) {
    result.middleCols(first, count) = part(first, count);
  });
  return result;
}

// Whatever the solver measured, what counts is Aα - y = f̂ + nβα - y on the labelled samples, and f̂
// is at hand. (Richardson keeps the criterion of the paper's Algorithms 1 and 2.)
void judge_residual(std::span<const Index> labeled, ConstMatrixRef y, const StkrOptions& options,
                    Fit& fit) {
  const double shift = static_cast<double>(labeled.size()) * options.beta;
  const Matrix r = gather_rows(fit.fitted, labeled) + shift * fit.alpha - y;
  SolveSummary& solve = fit.summary.solve;
  solve.residuals.resize(y.cols());
  for (Index c = 0; c < y.cols(); ++c) {
    const double scale = y.col(c).norm();
    solve.residuals[c] = scale > 0.0 ? r.col(c).norm() / scale : 0.0;
  }
  if (solve.converged() && solve.worst_residual() > options.tolerance) {
    solve.reason = StopReason::stagnated;
    solve.message = fmt::format(
        "the residual is {:.1e} where {:.1e} was asked for: the system is ill-conditioned; raise "
        "beta or the tolerance",
        solve.worst_residual(), options.tolerance);
  }
}

// Theorem 1 on the spectrum at hand. Where a gram only knows that it may reach below 0, a few steps
// of Lanczos tell: Ritz values lie inside the spectrum, so a negative one is proof.
void describe_fit(const GramOperator& gram, const SpectralAction& action,
                  const StkrOptions& options, FitSummary& summary) {
  SpectrumBounds at_hand = action.spectrum().bounds;
  if (at_hand.lower < 0.0) {
    const double smallest = action.spectrum().estimated
                                ? action.spectrum().smallest
                                : estimate_spectrum(gram, {.max_steps = 24,
                                                           .seed = options.seed,
                                                           .threads = options.threads,
                                                           .cancel = options.control.cancel})
                                      .smallest;
    // A kernel matrix with eigenvalues near 0 has some below it, by rounding.
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
  if (action.approximation_error() > 0.0) {
    summary.approximation_error = action.approximation_error();
  }
}

}  // namespace

const char* to_string(StkrSolver solver) {
  switch (solver) {
    case StkrSolver::automatic:
      return "automatic";
    case StkrSolver::direct:
      return "direct";
    case StkrSolver::richardson:
      return "richardson";
    case StkrSolver::cg:
      return "cg";
    case StkrSolver::minres:
      return "minres";
    case StkrSolver::diagonalize:
      return "diagonalize";
  }
  return "unknown";
}

Fit fit_stkr(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
             const StkrOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  check_labeled(gram, labeled, y);
  check_beta(options.beta);
  ActionOptions action_options;
  action_options.tolerance = std::max(0.01 * options.tolerance, 1e-14);
  action_options.max_iterations = std::max(10 * options.max_iterations, 2000);
  action_options.dense_below = options.execution.factorize_below;
  action_options.seed = options.seed;
  action_options.threads = options.threads;
  action_options.control = options.control;
  const SpectralAction action(gram, options.transform, action_options);

  Fit fit;
  fit.summary.method = "stkr";
  fit.summary.transform = options.transform.describe();
  describe_fit(gram, action, options, fit.summary);
  const auto polynomial = options.transform.polynomial_coefficients();
  const auto reciprocal = options.transform.reciprocal_form();
  if (options.solver == StkrSolver::richardson && (polynomial || reciprocal)) {
    PropagationOptions propagation;
    static_cast<SolverOptions&>(propagation) = solver_options(options);
    propagation.step_size = options.step_size;
    propagation.seed = options.seed;
    const PropagationProblem problem{gram, labeled, y, options.beta};
    Propagation result = polynomial ? propagate_polynomial(problem, *polynomial, propagation)
                                    : propagate_reciprocal(problem, *reciprocal,
                                                           action.spectrum().bounds, propagation);
    fit.alpha = std::move(result.alpha);
    fit.coefficients = std::move(result.coefficients);
    fit.summary.solve = std::move(result.summary);
  } else {
    SolveResult solved = solve_ridge_system(gram, action, labeled, y, options);
    // c = g(S) E α
    fit.coefficients =
        batched_product(gram.size(), y.cols(), options, [&](Index first, Index count) -> Matrix {
          return product(
              action, scatter_rows(solved.solution.middleCols(first, count), labeled, gram.size()));
        });
    fit.alpha = std::move(solved.solution);
    fit.summary.solve = std::move(solved.summary);
  }
  // The other solvers notice in the next product; Richardson has products of its own.
  if (fit.summary.solve.reason == StopReason::cancelled) throw Cancelled("stopped by the caller");
  if (!action.inner().converged()) {
    // The outer residual was measured with the inexact operator: its verdict does not count.
    fit.summary.solve.reason = action.inner().reason;
    fit.summary.solve.message =
        fmt::format("inner {} (residual {:.1e}): {}", action.inner().solver,
                    action.inner().worst_residual(), action.inner().message);
  }
  // f̂ = G_K c = N S c
  fit.fitted =
      batched_product(gram.size(), y.cols(), options, [&](Index first, Index count) -> Matrix {
        return product(gram, fit.coefficients.middleCols(first, count));
      });
  fit.fitted *= static_cast<double>(gram.size());
  if (options.solver != StkrSolver::richardson) judge_residual(labeled, y, options, fit);
  fit.summary.products = action.products() + fit.summary.solve.products + 1;
  fit.summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return fit;
}

Fit fit_kernel_ridge(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                     const KernelRidgeOptions& options) {
  StkrOptions stkr;
  stkr.transform = SpectralTransform::power(1);
  stkr.beta = options.beta;
  stkr.tolerance = options.tolerance;
  stkr.max_iterations = options.max_iterations;
  stkr.seed = options.seed;
  stkr.execution = options.execution;
  stkr.threads = options.threads;
  stkr.control = options.control;
  if (static_cast<Index>(labeled.size()) <= options.execution.most_direct) {
    stkr.solver = StkrSolver::direct;
  } else {
    stkr.solver = gram.bounds().lower >= 0.0 ? StkrSolver::cg : StkrSolver::minres;
  }
  Fit fit = fit_stkr(gram, labeled, y, stkr);
  if (stkr.solver == StkrSolver::cg && fit.summary.solve.reason == StopReason::breakdown) {
    stkr.solver = StkrSolver::minres;  // indefinite by rounding, see solve_automatically
    fit = fit_stkr(gram, labeled, y, stkr);
  }
  fit.summary.method = "kernel-ridge";
  return fit;
}

}  // namespace stkr
