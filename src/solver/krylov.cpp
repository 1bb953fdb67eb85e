#include "krylov.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr::detail {

void check_right_hand_side(const char* solver, const LinearOperator& a, ConstMatrixRef b) {
  if (b.rows() != a.size()) {
    throw ShapeError(fmt::format("{}: the right-hand side has {} rows but the operator has size {}",
                                 solver, b.rows(), a.size()));
  }
}

KrylovRun::KrylovRun(const char* solver, const LinearOperator& a, ConstMatrixRef b,
                     const SolverOptions& options)
    : KrylovRun(solver, a, b, column_norms(b, options.threads), options) {}

KrylovRun::KrylovRun(const char* solver, const LinearOperator& a, ConstMatrixRef b, Vector scale,
                     const SolverOptions& options)
    : solver_(solver),
      a_(a),
      b_(b),
      options_(options),
      rhs_norms_(std::move(scale)),
      active_(b.cols(), 1),
      column_iterations_(b.cols(), 0) {
  check_right_hand_side(solver, a, b);
  if (!(options.tolerance > 0.0) || options.max_iterations < 0) {
    throw ValueError(fmt::format(
        "{}: tolerance {} and max_iterations {}; expected tolerance > 0 and max_iterations >= 0",
        solver, options.tolerance, options.max_iterations));
  }
  if (!rhs_norms_.allFinite()) {
    throw ValueError(fmt::format("{}: the right-hand side has a value that is not finite", solver));
  }
  // The solution for b = 0 is 0, and relative residuals mean nothing there.
  for (Index c = 0; c < b.cols(); ++c) active_[c] = rhs_norms_[c] > 0.0;
}

bool KrylovRun::any_running() const {
  return std::find(active_.begin(), active_.end(), 1) != active_.end();
}

void KrylovRun::product(ConstMatrixRef x, MatrixRef y) {
  a_.apply(x, y);
  ++products_;
}

void KrylovRun::stop_column(Index column, int iteration) {
  active_[column] = 0;
  column_iterations_[column] = iteration;
}

bool KrylovRun::report(int iteration, const Vector& relative) {
  if (options_.control.progress) {
    SolveProgress progress{solver_, iteration, options_.max_iterations, 0.0, 0};
    for (Index c = 0; c < relative.size(); ++c) {
      if (!active_[c]) continue;
      progress.worst_residual = std::max(progress.worst_residual, relative[c]);
      ++progress.columns_left;
    }
    options_.control.progress(progress);
  }
  return !options_.control.cancel.stop_requested();
}

Matrix KrylovRun::true_residual(ConstMatrixRef x, Vector& relative) {
  Matrix r(b_.rows(), b_.cols());
  product(x, r);
  r = b_ - r;
  relative = column_norms(r, options_.threads);
  for (Index c = 0; c < relative.size(); ++c) {
    relative[c] = rhs_norms_[c] > 0.0 ? relative[c] / rhs_norms_[c] : 0.0;
  }
  return r;
}

SolveSummary KrylovRun::finish(ConstMatrixRef x, StopReason reason, int iterations,
                               std::string message) {
  Vector relative;
  true_residual(x, relative);
  SolveSummary summary;
  summary.solver = solver_;
  summary.iterations = iterations;
  for (Index c = 0; c < relative.size(); ++c) {
    if (active_[c]) column_iterations_[c] = iterations;
  }
  summary.column_iterations = column_iterations_;
  summary.residuals.assign(relative.begin(), relative.end());
  const bool good = relative.size() == 0 || relative.maxCoeff() <= options_.tolerance;
  summary.reason = good ? StopReason::converged
                        : (reason == StopReason::converged ? StopReason::stagnated : reason);
  if (!good) summary.message = std::move(message);
  summary.products = products_;
  summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  return summary;
}

SolveResult refine(KrylovRun& run, ConstMatrixRef b, const SolverOptions& options,
                   const std::function<StopReason(MatrixRef, MatrixRef, int&)>& sweep) {
  Matrix x = Matrix::Zero(b.rows(), b.cols());
  Matrix r = b;
  int iteration = 0;
  StopReason reason = StopReason::converged;
  Vector relative = Vector::Ones(b.cols());
  while (run.any_running()) {
    reason = sweep(r, x, iteration);
    if (reason != StopReason::converged) break;
    const Vector before = relative;
    r = run.true_residual(x, relative);
    bool progress = false;
    for (Index c = 0; c < b.cols(); ++c) {
      if (!run.running(c)) continue;
      if (relative[c] <= options.tolerance) {
        run.stop_column(c, iteration);
      } else if (relative[c] < 0.5 * before[c]) {
        progress = true;
      }
    }
    if (!progress && run.any_running()) {
      reason = StopReason::stagnated;
      break;
    }
  }
  std::string message;
  switch (reason) {
    case StopReason::breakdown:
      message =
          "the system is not positive definite, so conjugate gradients cannot solve it; use "
          "minres or diagonalize, a larger beta, an even power, or the lazy walk (I+S)/2";
      break;
    case StopReason::max_iterations:
      message =
          fmt::format("not converged after {} iterations; raise max_iterations or beta", iteration);
      break;
    case StopReason::stagnated:
      message =
          "the true residual no longer falls: the system is singular to rounding; raise beta or "
          "the tolerance";
      break;
    case StopReason::cancelled:
      message = "stopped by the caller";
      break;
    default:
      break;
  }
  SolveSummary summary = run.finish(x, reason, iteration, std::move(message));
  return {std::move(x), std::move(summary)};
}

}  // namespace stkr::detail
