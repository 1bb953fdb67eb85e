#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr::detail {

// Throws ShapeError unless b has as many rows as the operator.
void check_right_hand_side(const char* solver, const LinearOperator& a, ConstMatrixRef b);

// Shared by CG and MINRES: active and stopped columns, the clock, the caller's control, and the
// decision by the true residual.
class KrylovRun {
 public:
  KrylovRun(const char* solver, const LinearOperator& a, ConstMatrixRef b,
            const SolverOptions& options, const Context& context);
  // Residuals are relative to `scale`, one per column, instead of ‖b‖.
  KrylovRun(const char* solver, const LinearOperator& a, ConstMatrixRef b, Vector scale,
            const SolverOptions& options, const Context& context);

  bool running(Index column) const { return active_[column]; }
  bool any_running() const;
  const Vector& rhs_norms() const { return rhs_norms_; }

  // y = A x; counts the product.
  void product(ConstMatrixRef x, MatrixRef y);

  void stop_column(Index column, int iteration);

  // Reports progress to the caller. Returns false if cancellation is requested. `relative` holds
  // one estimate of ‖r‖/‖b‖ per column.
  bool report(int iteration, const Vector& relative);

  // keep() saves `state`, everything that the next step needs, when that is due and when
  // cancellation is requested. In another process, restore() fills it once and sets `iteration`.
  void keep(std::span<const ConstMatrixRef> state, int iteration);
  bool restore(std::span<const MatrixRef> state, int& iteration);

  // b - A x and its relative norms, which decide convergence.
  Matrix true_residual(ConstMatrixRef x, Vector& relative);

  // Relative norms of the true residual before the current sweep, 1 before the first.
  Vector& before() { return before_; }

  // Completes the summary. The true residuals override `reason` in both directions.
  SolveSummary finish(ConstMatrixRef x, StopReason reason, int iterations, std::string message);

 private:
  const char* solver_;
  const LinearOperator& a_;
  ConstMatrixRef b_;
  const SolverOptions& options_;
  const Context& context_;
  Vector rhs_norms_;
  std::vector<char> active_;
  std::vector<int> column_iterations_;
  long products_ = 0;
  Vector before_;
  std::string name_;       // of the saved state
  bool restored_ = false;  // whether restore() was called
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Restarts a solver from the residual it left as long as that helps: both recurrences drift away
// from the true residual in floating point. `sweep(residual, x, iteration)` adds a correction to x
// for the active columns, advances the iteration count, and returns why it stopped.
SolveResult refine(KrylovRun& run, ConstMatrixRef b, const SolverOptions& options,
                   const std::function<StopReason(MatrixRef, MatrixRef, int&)>& sweep);

}  // namespace stkr::detail
