#include "krylov.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "linop/saved_state.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {

void check_right_hand_side(const char* solver, Index rows, Index size) {
  if (rows != size) {
    throw ShapeError(fmt::format("{}: the right-hand side has {} rows but the operator has size {}",
                                 solver, rows, size));
  }
}

void check_initial(const char* solver, Index rows, Index columns, Index expected_rows,
                   Index expected_columns) {
  if (rows != expected_rows || columns != expected_columns) {
    throw ShapeError(
        fmt::format("{}: the initial solution is {} x {} but the right-hand side is {} x {}; they "
                    "must have the "
                    "same shape",
                    solver, rows, columns, expected_rows, expected_columns));
  }
}

KrylovRecord::KrylovRecord(const char* solver, Vector scale, double tolerance, int max_iterations,
                           const Context& context)
    : solver_(solver),
      context_(context),
      tolerance_(tolerance),
      max_iterations_(max_iterations),
      rhs_norms_(std::move(scale)),
      active_(rhs_norms_.size(), 1),
      column_iterations_(rhs_norms_.size(), 0),
      before_(Vector::Ones(rhs_norms_.size())) {
  if (context.saved) name_ = context.saved->next_name(solver);
  if (!(tolerance > 0.0) || max_iterations < 0) {
    throw ValueError(fmt::format(
        "{}: tolerance {} and max_iterations {}; expected tolerance > 0 and max_iterations >= 0",
        solver, tolerance, max_iterations));
  }
  if (!rhs_norms_.allFinite()) {
    throw ValueError(
        fmt::format("{}: the right-hand side has a value that is not finite, or its norm "
                    "overflows: the targets, the kernel or the weights are too large or too small; "
                    "divide all of them by the largest",
                    solver));
  }
  // The solution for b = 0 is 0, and relative residuals are meaningless.
  for (Index c = 0; c < rhs_norms_.size(); ++c) active_[c] = rhs_norms_[c] > 0.0;
}

bool KrylovRecord::any_running() const {
  return std::find(active_.begin(), active_.end(), 1) != active_.end();
}

void KrylovRecord::stop_column(Index column, int iteration) {
  active_[column] = 0;
  column_iterations_[column] = iteration;
}

bool KrylovRecord::report(int iteration, const Vector& relative) {
  if (context_.progress) {
    Progress progress{solver_, iteration, max_iterations_, 0.0, 0, tolerance_};
    for (Index c = 0; c < relative.size(); ++c) {
      if (!active_[c]) continue;
      progress.worst_residual = std::max(progress.worst_residual, relative[c]);
      ++progress.columns_left;
    }
    context_.progress(progress);
  }
  return !context_.cancel.stop_requested();
}

Vector KrylovRecord::relative(Vector norms) const {
  for (Index c = 0; c < norms.size(); ++c) {
    norms[c] = rhs_norms_[c] > 0.0 ? norms[c] / rhs_norms_[c] : 0.0;
  }
  return norms;
}

bool KrylovRecord::save_is_due() const {
  return context_.saved && (context_.saved->due() || context_.cancel.stop_requested());
}

std::vector<Matrix> KrylovRecord::saved_record(int iteration) const {
  Matrix columns(3, before_.size());
  for (Index c = 0; c < columns.cols(); ++c) {
    columns.col(c) << active_[c], column_iterations_[c], before_[c];
  }
  return {Eigen::RowVector4d(iteration, static_cast<double>(products_),
                             static_cast<double>(rough_products_), rough_error_),
          std::move(columns)};
}

void KrylovRecord::restore_record(const Matrix& counts, const Matrix& columns, int& iteration) {
  iteration = static_cast<int>(counts(0, 0));
  products_ = static_cast<long>(counts(0, 1));
  rough_products_ = static_cast<long>(counts(0, 2));
  rough_error_ = counts(0, 3);
  for (Index c = 0; c < columns.cols(); ++c) {
    active_[c] = columns(0, c) != 0.0;
    column_iterations_[c] = static_cast<int>(columns(1, c));
    before_[c] = columns(2, c);
  }
}

SolveSummary KrylovRecord::summarize(const Vector& relative, StopReason reason, int iterations,
                                     std::string message) {
  SolveSummary summary;
  summary.solver = solver_;
  summary.iterations = iterations;
  for (Index c = 0; c < relative.size(); ++c) {
    if (active_[c]) column_iterations_[c] = iterations;
  }
  summary.column_iterations = column_iterations_;
  summary.residuals.assign(relative.begin(), relative.end());
  const bool good = relative.size() == 0 || relative.maxCoeff() <= tolerance_;
  summary.reason = good ? StopReason::converged
                        : (reason == StopReason::converged ? StopReason::stagnated : reason);
  if (!good) summary.message = std::move(message);
  summary.products = products_;
  summary.rough_products = rough_products_;
  if (rough_products_ > 0) summary.rough_precision = rough_precision_;
  summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  return summary;
}

std::string krylov_message(StopReason reason, int iteration) {
  switch (reason) {
    case StopReason::breakdown:
      return "the system is not positive definite, so conjugate gradients cannot solve it; use "
             "minres "
             "or diagonalize, a larger beta, an even power, or the lazy walk (I+S)/2";
    case StopReason::max_iterations:
      return fmt::format("not converged after {} iterations; raise max_iterations or beta",
                         iteration);
    case StopReason::stagnated:
      return "the true residual no longer decreases: the system is singular to rounding; raise "
             "beta "
             "or the tolerance";
    case StopReason::cancelled:
      return "stopped by the caller";
    default:
      return {};
  }
}

}  // namespace stkr::detail
