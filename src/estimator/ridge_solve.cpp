#include "estimator/ridge_solve.hpp"

#include <chrono>
#include <cmath>
#include <optional>

#include "estimator/labeled_system.hpp"
#include "estimator/laplacian_system.hpp"
#include "solver/dense.hpp"
#include "solver/diagonalize.hpp"
#include "solver/nystrom_preconditioner.hpp"
#include "solver/richardson.hpp"
#include "solver/spectrum.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/solver/krylov.hpp"

namespace stkr {
namespace {

bool nonnegative_on(const SpectralTransform& s, const SpectrumBounds& spectrum) {
  for (int k = 0; k <= 1000; ++k) {
    if (s(spectrum.lower + (spectrum.upper - spectrum.lower) * k / 1000.0) < -1e-12) return false;
  }
  return true;
}

// The columns of a start that belong to the right-hand sides `first` and following.
struct StartColumns {
  StartColumns(const RidgeStart& start, Index samples, Index labels, Index first, Index count,
               Index outputs) {
    const auto fits = [&](const Matrix* block, Index rows) {
      return block && block->rows() == rows && block->cols() == outputs;
    };
    if (fits(start.alpha, labels)) alpha = start.alpha->middleCols(first, count);
    if (fits(start.theta, samples)) theta = start.theta->middleCols(first, count);
  }
  Matrix alpha, theta;
};

const Matrix* unless_empty(const Matrix& block) { return block.size() > 0 ? &block : nullptr; }

// α from θ, see laplacian_system.hpp. The remaining residual on the unlabeled rows acts on the
// labeled ones through Q⁻¹, strongly for η near 1/λ₁, so convergence is decided by the residual of
// the n × n system. That needs g(S) E α, which is close to θ.
RidgeSolution solve_through_laplacian(const GramOperator& gram, const SpectralAction& action,
                                      std::span<const Index> labeled, ConstMatrixRef y, double eta,
                                      const StartColumns& start, const StkrOptions& options,
                                      const Context& context) {
  constexpr int kMostCorrections = 5;
  SolverOptions tighter = solver_options(options);
  tighter.tolerance = std::max(0.1 * options.tolerance, 1e-12);
  const SharedRows* rows = gram.shared_rows();
  const auto size = static_cast<double>(gram.size());
  const double shift = static_cast<double>(labeled.size()) * *options.beta;
  std::optional<ResidentBlock> initial;
  if (start.theta.size() > 0) initial = ResidentBlock::of(gram, start.theta);
  RidgeSolution result;
  Matrix residual = y;
  for (int correction = 0; correction <= kMostCorrections; ++correction) {
    const bool first = correction == 0;
    ResidentSolve part = solve_laplacian_system(
        gram, labeled, residual, eta, *options.beta, tighter, context,
        first && initial ? &*initial : nullptr, gram.squared_row_norms(labeled));
    initial.reset();
    // α += Qθ on the labeled samples
    const Matrix alpha = part.solution.rows_at(rows, labeled) -
                         eta * product(gram, part.solution).rows_at(rows, labeled);
    if (first) {
      result = {alpha, std::move(part.summary), std::move(part.solution)};
    } else {
      result.alpha += alpha;
      result.summary.products += part.summary.products;
      result.theta = combination(gram, 1.0, part.solution, 1.0, result.theta, context.threads);
    }
    if (!result.summary.converged()) break;
    result.theta =
        action.known(ResidentBlock::scattered(gram, result.alpha, labeled), &result.theta);
    residual = y - shift * result.alpha - product(gram, result.theta, size).rows_at(rows, labeled);
    if ((residual.colwise().norm().array() <= options.tolerance * y.colwise().norm().array())
            .all()) {
      break;
    }
  }
  return result;
}

// For a small ridge nβ the system is as ill-conditioned as its kernel, and conjugate gradients
// would need thousands of steps.
NystromPreconditioner ridge_preconditioner(const GramOperator& gram, const SpectralAction& action,
                                           std::span<const Index> labeled, Index outputs,
                                           const StkrOptions& options, const Context& context) {
  const auto n = static_cast<Index>(labeled.size());
  const LabeledSystem without_ridge(gram, action, {labeled.begin(), labeled.end()}, 0.0,
                                    options.label_weights);
  return {without_ridge, static_cast<double>(n) * *options.beta,
          ridge_preconditioner_options(n, gram.size(), outputs, options.tolerance,
                                       options.execution.block_bytes),
          context};
}

SolveResult solve_by_cg(const GramOperator& gram, const SpectralAction& action,
                        std::span<const Index> labeled, ConstMatrixRef y, const StartColumns& start,
                        const StkrOptions& options, const Context& context) {
  CgOptions cg;
  static_cast<SolverOptions&>(cg) = solver_options(options);
  cg.initial = unless_empty(start.alpha);
  const auto began = std::chrono::steady_clock::now();
  std::optional<NystromPreconditioner> preconditioner;
  if (options.precondition && nonnegative_on(action.transform(), action.spectrum().bounds)) {
    preconditioner.emplace(ridge_preconditioner(gram, action, labeled, y.cols(), options, context));
    cg.preconditioner = &*preconditioner;
  }
  const LabeledSystem a(gram, action, {labeled.begin(), labeled.end()}, *options.beta,
                        options.label_weights);
  SolveResult result = solve_cg(a, y, cg, context);
  if (preconditioner) {
    result.summary.preconditioner = preconditioner->describe();
    result.summary.preconditioner_products = preconditioner->products();
    result.summary.products += preconditioner->products();
  }
  result.summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

RidgeSolution solve_labeled_system(StkrSolver solver, const GramOperator& gram,
                                   const SpectralAction& action, std::span<const Index> labeled,
                                   ConstMatrixRef y, const StartColumns& start,
                                   const StkrOptions& options, const Context& context) {
  const auto alone = [](SolveResult solved) {
    return RidgeSolution{std::move(solved.solution), std::move(solved.summary), {}};
  };
  const double shift = static_cast<double>(labeled.size()) * *options.beta;
  SolverOptions common = solver_options(options);
  if (solver == StkrSolver::direct || solver == StkrSolver::diagonalize) {
    Matrix a =
        transformed_gram(gram, action, labeled, options.execution.block_bytes, context.saved);
    if (options.label_weights.size() > 0) {
      const Vector root = options.label_weights.cwiseSqrt();
      a = (root.asDiagonal() * a * root.asDiagonal()).eval();
    }
    if (solver == StkrSolver::diagonalize) {
      return alone(DiagonalizedSystem(a, context.cancel).solve(shift, y, common));
    }
    a.diagonal().array() += shift;
    return alone(solve_dense(a, y, common, context));
  }
  if (solver == StkrSolver::cg)
    return alone(solve_by_cg(gram, action, labeled, y, start, options, context));
  const LabeledSystem a(gram, action, {labeled.begin(), labeled.end()}, *options.beta,
                        options.label_weights);
  common.initial = unless_empty(start.alpha);
  if (solver == StkrSolver::minres) {
    const auto* laplacian = std::get_if<InverseLaplacianTransform>(&options.transform.form());
    if (laplacian && options.label_weights.size() == 0 &&
        laplacian_system_applies(gram.size(), y.rows(), laplacian->eta, *options.beta)) {
      return solve_through_laplacian(gram, action, labeled, y, laplacian->eta, start, options,
                                     context);
    }
  }
  if (solver == StkrSolver::minres) return alone(solve_minres(a, y, common, context));
  // Richardson for a transform that is neither a polynomial nor a polynomial's reciprocal.
  RichardsonOptions richardson;
  static_cast<SolverOptions&>(richardson) = common;
  richardson.step_size = options.step_size > 0.0
                             ? options.step_size
                             : 1.0 / estimate_spectrum(a, {}, context).bounds.upper;
  return alone(solve_richardson(a, y, richardson, context));
}

// Joins the summaries of several solves of one system: the worst reason, everything else summed.
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
// and so on if memory requires it.
RidgeSolution solve_in_batches(StkrSolver solver, const GramOperator& gram,
                               const SpectralAction& action, std::span<const Index> labeled,
                               ConstMatrixRef y, const RidgeStart& start,
                               const StkrOptions& options, const Context& context) {
  const auto columns = [&](Index first, Index count) {
    return StartColumns(start, gram.local_size(), y.rows(), first, count, y.cols());
  };
  const Index at_once = options.execution.outputs_at_once;
  const bool explicit_system = solver == StkrSolver::direct || solver == StkrSolver::diagonalize;
  if (explicit_system || at_once <= 0 || at_once >= y.cols()) {
    return solve_labeled_system(solver, gram, action, labeled, y, columns(0, y.cols()), options,
                                context);
  }
  RidgeSolution all;
  all.alpha.resize(y.rows(), y.cols());
  for_batches(y.cols(), at_once, [&](Index first, Index count) {
    const Matrix part = y.middleCols(first, count);
    RidgeSolution solved = solve_labeled_system(solver, gram, action, labeled, part,
                                                columns(first, count), options, context);
    all.alpha.middleCols(first, count) = solved.alpha;
    join(all.summary, std::move(solved.summary));
  });
  return all;
}

}  // namespace

RidgeTraits ridge_traits(const GramOperator& gram, const SpectralAction& action, Index labels,
                         Index outputs, const StkrOptions& options) {
  return {.labels = labels,
          .outputs = outputs,
          .sparse = gram.sparse(),
          .semidefinite = nonnegative_on(action.transform(), action.spectrum().bounds),
          .inverse_laplacian =
              std::holds_alternative<InverseLaplacianTransform>(action.transform().form()),
          .linear = is_linear(action.transform()),
          .chooses_ridge = options.choose_ridge,
          .solver = options.solver,
          .max_iterations = options.max_iterations,
          .most_direct = options.execution.most_direct};
}

SolverOptions solver_options(const StkrOptions& options) {
  return {options.tolerance, options.max_iterations};
}

RidgeSolution solve_ridge_system(const RidgeStrategy& strategy, const GramOperator& gram,
                                 const SpectralAction& action, std::span<const Index> labeled,
                                 ConstMatrixRef y, const RidgeStart& start,
                                 const StkrOptions& options, const Context& context) {
  // With label weights v, α/√v solves the system of LabeledSystem.
  const Vector root = options.label_weights.cwiseSqrt();
  const bool weighted = root.size() > 0;
  const Matrix rhs = weighted ? Matrix(root.asDiagonal() * y) : Matrix(y);
  RidgeStart from = start;
  Matrix scaled;
  if (weighted && start.alpha && start.alpha->rows() == root.size()) {
    scaled = root.cwiseInverse().asDiagonal() * *start.alpha;
    from.alpha = &scaled;
  }
  const auto attempt = [&](const RidgeStrategy::Attempt& one) {
    StkrOptions with = options;
    with.max_iterations = one.max_iterations;
    return solve_in_batches(one.solver, gram, action, labeled, rhs, from, with, context);
  };
  RidgeSolution result = attempt(strategy.first);
  const StopReason reason = result.summary.reason;
  const bool done = strategy.after_breakdown
                        ? reason != StopReason::breakdown
                        : result.summary.converged() || reason == StopReason::cancelled;
  if (!done && strategy.second) result = attempt(*strategy.second);
  if (weighted) result.alpha = (root.asDiagonal() * result.alpha).eval();
  return result;
}

}  // namespace stkr
