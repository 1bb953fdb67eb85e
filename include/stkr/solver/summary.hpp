#pragma once

#include <string>
#include <vector>

#include "stkr/matrix.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

enum class StopReason {
  converged,       // every column reached the tolerance, on its true residual
  max_iterations,  // the maximum number of steps was reached
  breakdown,  // conjugate gradients found a direction with pᵀAp ≤ 0: A is not positive definite
  diverged,   // Richardson: the residual grows
  stagnated,  // the true residual no longer decreases: rounding, or a singular system
  cancelled,  // the caller requested cancellation
};
const char* to_string(StopReason reason);

// Why a solver stopped, and the quality of its solution. Residuals are ‖b - Ax‖/‖b‖ per column,
// recomputed from x rather than taken from a recurrence.
struct SolveSummary {
  std::string solver;
  StopReason reason = StopReason::converged;
  int iterations = 0;                  // steps taken by the slowest column
  std::vector<int> column_iterations;  // step at which each column stopped
  std::vector<double> residuals;       // true relative residual of each column
  long products = 0;        // block products with the operator, including preconditioner_products
  long rough_products = 0;  // of these, in the lower precision `rough_precision`
  std::string rough_precision;       // "fp16"; empty if all are in full precision
  std::string preconditioner;        // "nystrom, rank 128"; empty without one
  long preconditioner_products = 0;  // block products spent on the preconditioner
  double seconds = 0.0;
  std::string message;  // what happened, and what to do if it failed

  bool converged() const { return reason == StopReason::converged; }
  double worst_residual() const;
};

template <class Block>
struct BasicSolverOptions {
  double tolerance = 1e-8;  // on ‖r‖/‖b‖, independent of the scale of y
  int max_iterations = 1000;
  // Where an iteration starts, with the shape of the solution. Null: at 0. Direct solvers ignore
  // it.
  const Block* initial = nullptr;
};

template <class Block>
struct BasicSolveResult {
  Block solution;
  SolveSummary summary;
};

using SolverOptions = BasicSolverOptions<Matrix>;
using SolveResult = BasicSolveResult<Matrix>;

}  // namespace stkr
