#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "stkr/linop/linear_operator.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr::detail {

// Throws ShapeError unless b has a row for each of the operator's.
void check_right_hand_side(const char* solver, const LinearOperator& a, ConstMatrixRef b);

// What CG and MINRES share: columns that run and columns that stopped, the clock, the caller's
// control, and the verdict on the true residual.
class KrylovRun {
 public:
  KrylovRun(const char* solver, const LinearOperator& a, ConstMatrixRef b,
            const SolverOptions& options);
  // Residuals relative to `scale`, one per column, instead of ‖b‖.
  KrylovRun(const char* solver, const LinearOperator& a, ConstMatrixRef b, Vector scale,
            const SolverOptions& options);

  bool running(Index column) const { return active_[column]; }
  bool any_running() const;
  const Vector& rhs_norms() const { return rhs_norms_; }

  // y = A x, counted.
  void product(ConstMatrixRef x, MatrixRef y);

  void stop_column(Index column, int iteration);

  // Tells the caller where we are; false when it asked to stop. `relative` has one estimate of
  // ‖r‖/‖b‖ per column.
  bool report(int iteration, const Vector& relative);

  // A recurrence keeps `state`, all that its next step needs, whenever that is due, and where the
  // caller asked to stop; in another process restore() fills it, once, and sets `iteration`.
  void keep(std::span<const ConstMatrixRef> state, int iteration);
  bool restore(std::span<const MatrixRef> state, int& iteration);

  // b - A x and its relative norms: what decides.
  Matrix true_residual(ConstMatrixRef x, Vector& relative);

  // Relative norms of the true residual before the sweep that runs, 1 before the first.
  Vector& before() { return before_; }

  // Fills in the summary. `reason` is overruled by the true residuals in both directions.
  SolveSummary finish(ConstMatrixRef x, StopReason reason, int iterations, std::string message);

 private:
  const char* solver_;
  const LinearOperator& a_;
  ConstMatrixRef b_;
  const SolverOptions& options_;
  Vector rhs_norms_;
  std::vector<char> active_;
  std::vector<int> column_iterations_;
  long products_ = 0;
  Vector before_;
  std::string name_;       // of the saved state
  bool restored_ = false;  // it was asked for
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Starts a solver again from the residual it left, while that helps: both recurrences drift away
// from the true residual in floating point. `sweep(residual, x, iteration)` adds to x a correction
// for the columns that still run, advances the iteration count, and says why it stopped.
SolveResult refine(KrylovRun& run, ConstMatrixRef b, const SolverOptions& options,
                   const std::function<StopReason(MatrixRef, MatrixRef, int&)>& sweep);

}  // namespace stkr::detail
