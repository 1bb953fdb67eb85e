#include "stkr/estimator/stkr.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "stkr/error.hpp"
#include "stkr/estimator/labeled_system.hpp"
#include "stkr/estimator/laplacian_system.hpp"
#include "stkr/estimator/stkr_prop.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/solver/cg.hpp"
#include "stkr/solver/dense.hpp"
#include "stkr/solver/diagonalize.hpp"
#include "stkr/solver/minres.hpp"
#include "stkr/solver/nystrom_preconditioner.hpp"
#include "stkr/solver/spectrum.hpp"

namespace stkr {
namespace {

void check_beta(double beta) {
  if (!(beta > 0.0) || !std::isfinite(beta)) {
    throw ValueError(fmt::format("beta = {}; expected a positive number (1e-2 is usual)", beta));
  }
}

bool nonnegative_on(const SpectralTransform& s, const SpectrumBounds& spectrum) {
  for (int k = 0; k <= 1000; ++k) {
    if (s(spectrum.lower + (spectrum.upper - spectrum.lower) * k / 1000.0) < -1e-12) return false;
  }
  return true;
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

SolverOptions solver_options(const StkrOptions& options) {
  return {options.tolerance, options.max_iterations, options.threads, options.control};
}

// α by way of θ, see laplacian_system.hpp. What is left of the residual on the unlabelled rows acts
// on the labelled ones through Q⁻¹, strongly for η near 1/λ₁: the n × n system has the last word.
SolveResult solve_through_laplacian(const LabeledSystem& a, const GramOperator& gram,
                                    std::span<const Index> labeled, ConstMatrixRef y, double eta,
                                    const StkrOptions& options) {
  constexpr int kMostCorrections = 5;
  SolverOptions tighter = solver_options(options);
  tighter.tolerance = std::max(0.1 * options.tolerance, 1e-12);
  SolveResult result;
  Matrix residual = y;
  for (int correction = 0; correction <= kMostCorrections; ++correction) {
    SolveResult theta =
        solve_laplacian_system(gram, labeled, residual, eta, options.beta, tighter, options.seed);
    // α += Qθ on the labelled samples
    const Matrix alpha = gather_rows(theta.solution, labeled) -
                         eta * gather_rows(product(gram, theta.solution), labeled);
    if (correction == 0) {
      result = {alpha, std::move(theta.summary)};
    } else {
      result.solution += alpha;
      result.summary.products += theta.summary.products;
    }
    if (!result.summary.converged()) break;
    residual = y - product(a, result.solution);
    if ((residual.colwise().norm().array() <= options.tolerance * y.colwise().norm().array())
            .all()) {
      break;
    }
  }
  return result;
}

// For a small ridge nβ the system is as ill-conditioned as its kernel, and conjugate gradients
// would take thousands of steps.
NystromPreconditioner ridge_preconditioner(const GramOperator& gram, const SpectralAction& action,
                                           std::span<const Index> labeled, Index outputs,
                                           const StkrOptions& options) {
  const auto n = static_cast<Index>(labeled.size());
  const auto most_values = static_cast<Index>(options.execution.block_bytes / sizeof(double));
  NystromOptions nystrom;
  nystrom.most_rank = std::clamp<Index>(most_values / n, nystrom.rank, nystrom.most_rank);
  nystrom.columns = outputs;
  nystrom.tolerance = options.tolerance;
  // A product spreads its columns over all samples.
  nystrom.at_once = std::max({most_values / gram.size(), nystrom.rank, outputs});
  nystrom.seed = options.seed;
  nystrom.threads = options.threads;
  nystrom.cancel = options.control.cancel;
  const LabeledSystem without_ridge(gram, action, {labeled.begin(), labeled.end()}, 0.0);
  return {without_ridge, static_cast<double>(n) * options.beta, nystrom};
}

SolveResult solve_by_cg(const GramOperator& gram, const SpectralAction& action,
                        std::span<const Index> labeled, ConstMatrixRef y,
                        const StkrOptions& options) {
  CgOptions cg;
  static_cast<SolverOptions&>(cg) = solver_options(options);
  const auto start = std::chrono::steady_clock::now();
  std::optional<NystromPreconditioner> preconditioner;
  if (options.precondition && nonnegative_on(action.transform(), action.spectrum().bounds)) {
    preconditioner.emplace(ridge_preconditioner(gram, action, labeled, y.cols(), options));
    cg.preconditioner = &*preconditioner;
  }
  const LabeledSystem a(gram, action, {labeled.begin(), labeled.end()}, options.beta);
  SolveResult result = solve_cg(a, y, cg);
  if (preconditioner) {
    result.summary.preconditioner = preconditioner->describe();
    result.summary.preconditioner_products = preconditioner->products();
    result.summary.products += preconditioner->products();
  }
  result.summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

SolveResult solve_labeled_system(StkrSolver solver, const GramOperator& gram,
                                 const SpectralAction& action, std::span<const Index> labeled,
                                 ConstMatrixRef y, const StkrOptions& options) {
  const double shift = static_cast<double>(labeled.size()) * options.beta;
  const SolverOptions common = solver_options(options);
  if (solver == StkrSolver::direct || solver == StkrSolver::diagonalize) {
    Matrix a = transformed_gram(gram, action, labeled, options.execution.block_bytes);
    if (solver == StkrSolver::diagonalize) return DiagonalizedSystem(a).solve(shift, y, common);
    a.diagonal().array() += shift;
    return solve_dense(a, y, common);
  }
  if (solver == StkrSolver::cg) return solve_by_cg(gram, action, labeled, y, options);
  const LabeledSystem a(gram, action, {labeled.begin(), labeled.end()}, options.beta);
  if (solver == StkrSolver::minres) {
    const auto* laplacian = std::get_if<InverseLaplacianTransform>(&options.transform.form());
    if (laplacian &&
        laplacian_system_applies(gram.size(), y.rows(), laplacian->eta, options.beta)) {
      return solve_through_laplacian(a, gram, labeled, y, laplacian->eta, options);
    }
  }
  if (solver == StkrSolver::minres) return solve_minres(a, y, common);
  // Richardson for a transform that is neither a polynomial nor a polynomial's reciprocal.
  RichardsonOptions richardson;
  static_cast<SolverOptions&>(richardson) = common;
  richardson.step_size = options.step_size > 0.0
                             ? options.step_size
                             : 1.0 / estimate_spectrum(a, {.seed = options.seed,
                                                           .threads = options.threads,
                                                           .cancel = options.control.cancel})
                                         .bounds.upper;
  return solve_richardson(a, y, richardson);
}

// The summary of several solves of one system: the worst reason, everything else added up.
void join(SolveSummary& all, SolveSummary part) {
  if (all.solver.empty()) {
    all = std::move(part);
    return;
  }
  if (all.converged()) {
    all.reason = part.reason;
    all.message = std::move(part.message);
  }
  all.iterations = std::max(all.iterations, part.iterations);
  all.column_iterations.insert(all.column_iterations.end(), part.column_iterations.begin(),
                               part.column_iterations.end());
  all.residuals.insert(all.residuals.end(), part.residuals.begin(), part.residuals.end());
  all.products += part.products;
  all.seconds += part.seconds;
}

// The explicit system takes all right-hand sides at once. The others keep N × C blocks, or N × C/2
// and so on where memory asks for it.
SolveResult solve_in_batches(StkrSolver solver, const GramOperator& gram,
                             const SpectralAction& action, std::span<const Index> labeled,
                             ConstMatrixRef y, const StkrOptions& options) {
  const Index at_once = options.execution.outputs_at_once;
  const bool explicit_system = solver == StkrSolver::direct || solver == StkrSolver::diagonalize;
  if (explicit_system || at_once <= 0 || at_once >= y.cols()) {
    return solve_labeled_system(solver, gram, action, labeled, y, options);
  }
  SolveResult all;
  all.solution.resize(y.rows(), y.cols());
  for_batches(y.cols(), at_once, [&](Index first, Index count) {
    const Matrix part = y.middleCols(first, count);
    SolveResult solved = solve_labeled_system(solver, gram, action, labeled, part, options);
    all.solution.middleCols(first, count) = solved.solution;
    join(all.summary, std::move(solved.summary));
  });
  return all;
}

// Forming the n × n system costs n columns, an iterative solver C columns per step. So a few
// hundred labels, or few per output, are solved explicitly; with more, an iterative solver may try
// for as long as forming the system would take. The system of Algorithm 2 takes one product a step
// where all others take an inner solve: on a graph, inverse Laplacians try it first.
SolveResult solve_automatically(const GramOperator& gram, const SpectralAction& action,
                                std::span<const Index> labeled, ConstMatrixRef y,
                                const StkrOptions& options) {
  const auto n = static_cast<Index>(labeled.size());
  const auto solve = [&](StkrSolver solver, const StkrOptions& with) {
    return solve_in_batches(solver, gram, action, labeled, y, with);
  };
  const auto ended = [](const SolveResult& result) {
    return result.summary.converged() || result.summary.reason == StopReason::cancelled;
  };
  const Index most_direct = options.execution.most_direct;
  const bool semidefinite = nonnegative_on(action.transform(), action.spectrum().bounds);
  const bool cheap_steps =
      std::holds_alternative<InverseLaplacianTransform>(options.transform.form()) &&
      (gram.sparse() || !semidefinite);
  const bool few = n <= 300 || n <= 40 * y.cols();
  if (n <= most_direct && few && !(cheap_steps && gram.sparse() && n > 4 * y.cols())) {
    return solve(StkrSolver::direct, options);
  }
  const StkrSolver iterative = semidefinite && !cheap_steps ? StkrSolver::cg : StkrSolver::minres;
  if (n > most_direct) {
    SolveResult result = solve(iterative, options);
    if (iterative == StkrSolver::minres && semidefinite && !ended(result)) {
      return solve(StkrSolver::cg, options);
    }
    // Semidefinite in theory, indefinite by rounding (single precision) and a tiny ridge.
    if (result.summary.reason != StopReason::breakdown) return result;
    return solve(StkrSolver::minres, options);
  }
  StkrOptions attempt = options;
  attempt.max_iterations = static_cast<int>(
      std::min<Index>(options.max_iterations, (cheap_steps ? 40 : 1) * n / y.cols()));
  SolveResult result = solve(iterative, attempt);
  return ended(result) ? result : solve(StkrSolver::direct, options);
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
  if (at_hand.lower < 0.0 && !action.spectrum().estimated) {
    const SpectrumEstimate estimate = estimate_spectrum(gram, {.max_steps = 24,
                                                               .seed = options.seed,
                                                               .threads = options.threads,
                                                               .cancel = options.control.cancel});
    at_hand.lower = std::min(estimate.smallest, 0.0);
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
    SolveResult solved = options.solver == StkrSolver::automatic
                             ? solve_automatically(gram, action, labeled, y, options)
                             : solve_in_batches(options.solver, gram, action, labeled, y, options);
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
