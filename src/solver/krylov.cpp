#include "krylov.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/linop/saved_state.hpp"

namespace stkr::detail {

void check_right_hand_side(const char* solver, const LinearOperator& a, ConstMatrixRef b) {
  if (b.rows() != a.size()) {
    throw ShapeError(fmt::format("{}: the right-hand side has {} rows but the operator has size {}",
                                 solver, b.rows(), a.size()));
  }
}

KrylovRun::KrylovRun(const char* solver, const LinearOperator& a, ConstMatrixRef b,
                     const SolverOptions& options, const Context& context)
    : KrylovRun(solver, a, b, column_norms(b, context.threads), options, context) {}

KrylovRun::KrylovRun(const char* solver, const LinearOperator& a, ConstMatrixRef b, Vector scale,
                     const SolverOptions& options, const Context& context)
    : solver_(solver),
      a_(a),
      b_(b),
      options_(options),
      context_(context),
      rhs_norms_(std::move(scale)),
      active_(b.cols(), 1),
      column_iterations_(b.cols(), 0),
      before_(Vector::Ones(b.cols())) {
  check_right_hand_side(solver, a, b);
  if (context.saved) name_ = context.saved->next_name(solver);
  if (!(options.tolerance > 0.0) || options.max_iterations < 0) {
    throw ValueError(fmt::format(
        "{}: tolerance {} and max_iterations {}; expected tolerance > 0 and max_iterations >= 0",
        solver, options.tolerance, options.max_iterations));
  }
  if (!rhs_norms_.allFinite()) {
    throw ValueError(
        fmt::format("{}: the right-hand side has a value that is not finite, or its norm "
                    "overflows: the targets, the kernel or the weights are too large or too small; "
                    "divide all of them by the largest",
                    solver));
  }
  // The solution for b = 0 is 0, and relative residuals are meaningless.
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
  if (context_.progress) {
    Progress progress{solver_, iteration, options_.max_iterations, 0.0, 0};
    for (Index c = 0; c < relative.size(); ++c) {
      if (!active_[c]) continue;
      progress.worst_residual = std::max(progress.worst_residual, relative[c]);
      ++progress.columns_left;
    }
    context_.progress(progress);
  }
  return !context_.cancel.stop_requested();
}

void KrylovRun::keep(std::span<const ConstMatrixRef> state, int iteration) {
  SavedState* saved = context_.saved;
  if (!saved || !(saved->due() || context_.cancel.stop_requested())) return;
  Matrix columns(3, before_.size());
  for (Index c = 0; c < columns.cols(); ++c) {
    columns.col(c) << active_[c], column_iterations_[c], before_[c];
  }
  const Matrix counts = Eigen::RowVector2d(iteration, static_cast<double>(products_));
  std::vector<ConstMatrixRef> blocks{counts, columns};
  for (const ConstMatrixRef& block : state) blocks.push_back(block);
  saved->save(name_, blocks);
}

bool KrylovRun::restore(std::span<const MatrixRef> state, int& iteration) {
  SavedState* saved = context_.saved;
  if (!saved || std::exchange(restored_, true)) return false;
  const auto found = saved->find(name_);
  if (!found) return false;
  bool fits = found->size() == state.size() + 2;
  for (std::size_t k = 0; fits && k < state.size(); ++k) {
    const Matrix& block = (*found)[k + 2];
    fits = block.rows() == state[k].rows() && block.cols() == state[k].cols();
  }
  if (!fits) {
    throw DataError(fmt::format("the saved state of {} belongs to another system", name_));
  }
  for (std::size_t k = 0; k < state.size(); ++k) {
    MatrixRef target = state[k];
    target = (*found)[k + 2];
  }
  const Matrix& counts = (*found)[0];
  const Matrix& columns = (*found)[1];
  iteration = static_cast<int>(counts(0, 0));
  products_ = static_cast<long>(counts(0, 1));
  for (Index c = 0; c < columns.cols(); ++c) {
    active_[c] = columns(0, c) != 0.0;
    column_iterations_[c] = static_cast<int>(columns(1, c));
    before_[c] = columns(2, c);
  }
  return true;
}

Matrix KrylovRun::true_residual(ConstMatrixRef x, Vector& relative) {
  Matrix r(b_.rows(), b_.cols());
  product(x, r);
  r = b_ - r;
  relative = column_norms(r, context_.threads);
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
  while (run.any_running()) {
    reason = sweep(r, x, iteration);
    if (reason != StopReason::converged) break;
    Vector relative;
    r = run.true_residual(x, relative);
    bool progress = false;
    for (Index c = 0; c < b.cols(); ++c) {
      if (!run.running(c)) continue;
      if (relative[c] <= options.tolerance) {
        run.stop_column(c, iteration);
      } else if (relative[c] < 0.5 * run.before()[c]) {
        progress = true;
      }
    }
    run.before() = std::move(relative);
    if (!progress && run.any_running()) {
      reason = StopReason::stagnated;
      break;
    }
  }
  std::string message;
  switch (reason) {
    case StopReason::breakdown:
      message =
          "the system is not positive definite, so conjugate gradients cannot solve it; use minres "
          "or diagonalize, a larger beta, an even power, or the lazy walk (I+S)/2";
      break;
    case StopReason::max_iterations:
      message =
          fmt::format("not converged after {} iterations; raise max_iterations or beta", iteration);
      break;
    case StopReason::stagnated:
      message =
          "the true residual no longer decreases: the system is singular to rounding; raise beta "
          "or the tolerance";
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
