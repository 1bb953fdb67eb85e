#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"

namespace stkr::detail {

// What CG, MINRES and Richardson record without looking at a block: active and stopped columns, the
// clock, the caller's control, and the summary.
class KrylovRecord {
 public:
  // Residuals are relative to `scale`, one per column. Throws ValueError for limits or a scale that
  // make no sense.
  KrylovRecord(const char* solver, Vector scale, double tolerance, int max_iterations,
               const Context& context);

  bool running(Index column) const { return active_[column]; }
  bool any_running() const;
  const Vector& rhs_norms() const { return rhs_norms_; }

  void stop_column(Index column, int iteration);

  // Reports progress to the caller. Returns false if cancellation is requested. `relative` holds
  // one estimate of ‖r‖/‖b‖ per column.
  bool report(int iteration, const Vector& relative);

  // Norms of a residual relative to the scale; 0 for a scale of 0.
  Vector relative(Vector norms) const;

  // Relative norms of the true residual before the current sweep, 1 before the first.
  Vector& before() { return before_; }

  // A sweep may stop a column whose estimated residual is this small. Rough products do not reach
  // more than their own precision in one sweep; the next one starts from the true residual.
  double target(Index column) const {
    const double drift = 0.5 * tolerance_;  // margin for drift of the recurrence
    return rough_error_ > 0.0 ? std::max(drift, kRoughReach * rough_error_ * before_[column])
                              : drift;
  }

  // Whether sweeps use rough products, and the end of that.
  bool rough() const { return rough_error_ > 0.0; }
  void leave_rough() { rough_error_ = 0.0; }

 protected:
  double rough_error_ = 0.0;  // of the products of a sweep; 0: they are those of A

  // The summary for the true residuals, which override `reason` in both directions.
  SolveSummary summarize(const Vector& relative, StopReason reason, int iterations,
                         std::string message);

  // Whether it is time to save the state, and this record as two blocks that begin a saved state.
  bool save_is_due() const;
  std::vector<Matrix> saved_record(int iteration) const;
  void restore_record(const Matrix& counts, const Matrix& columns, int& iteration);

  const char* solver_;
  const Context& context_;
  long products_ = 0;
  long rough_products_ = 0;  // of these
  const char* rough_precision_ = "";
  std::string name_;       // of the saved state
  bool restored_ = false;  // whether restoring was tried

 private:
  // A sweep with products of relative error ε reduces residuals to a small multiple of ε.
  static constexpr double kRoughReach = 8.0;

  double tolerance_;
  int max_iterations_;
  Vector rhs_norms_;
  std::vector<char> active_;
  std::vector<int> column_iterations_;
  Vector before_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Throws ShapeError unless a block has the shape of the right-hand side.
void check_right_hand_side(const char* solver, Index rows, Index size);
void check_initial(const char* solver, Index rows, Index columns, Index expected_rows,
                   Index expected_columns);

// What a failed solve tells the user.
std::string krylov_message(StopReason reason, int iteration);

}  // namespace stkr::detail
