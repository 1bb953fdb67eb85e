#pragma once

#include <fmt/format.h>

#include <cmath>

#include "linop/device_operator.hpp"
#include "solver/krylov_template.hpp"
#include "solver/richardson.hpp"
#include "stkr/error.hpp"

namespace stkr {

template <class Block>
BasicSolveResult<Block> solve_richardson(const BasicLinearOperator<Block>& a,
                                         ConstBlockView<Block> b,
                                         const BasicRichardsonOptions<Block>& options,
                                         const Context& context) {
  if constexpr (std::same_as<Block, Matrix>) {
    if (const auto device = a.on_device()) return device->solve_richardson(b, options, context);
  }
  // M of Algorithm 2 is not normal, so residuals may grow for a while before they decrease; they
  // never recover from this much growth.
  constexpr double kDiverged = 1e8;
  if (!(options.step_size > 0.0) || !std::isfinite(options.step_size)) {
    throw ValueError(
        fmt::format("richardson: step size {}; expected a positive number", options.step_size));
  }
  const int threads = context.threads;
  detail::KrylovRun<Block> run("richardson", a, b, column_norms(b, threads), options, context);
  Block x = run.first_solution();
  Block u = block_like(b, b.cols());
  Vector relative(b.cols());
  StopReason reason = StopReason::converged;
  int iteration = 0;
  run.restore({x}, {}, iteration);
  for (;; ++iteration) {
    const typename detail::KrylovRun<Block>::State state{{x}, {}, iteration};
    run.keep_if_cancelled(state, [&] { run.true_product(x, u); });
    axpby(-1.0, b, 1.0, u, threads);
    relative = column_norms(u, threads);
    for (Index c = 0; c < b.cols(); ++c) {
      if (run.rhs_norms()[c] > 0.0) relative[c] /= run.rhs_norms()[c];
      if (run.running(c) && relative[c] < options.tolerance) run.stop_column(c, iteration);
      if (!(relative[c] < kDiverged)) reason = StopReason::diverged;
    }
    const bool goes_on = run.report(iteration, relative);
    run.keep(state);
    if (!goes_on) reason = StopReason::cancelled;
    if (reason != StopReason::converged || !run.any_running()) break;
    if (iteration >= options.max_iterations) {
      reason = StopReason::max_iterations;
      break;
    }
    Vector step = Vector::Zero(b.cols());
    for (Index c = 0; c < b.cols(); ++c) {
      if (run.running(c)) step[c] = -options.step_size;
    }
    add_scaled(step, u, x, threads);
  }
  std::string message;
  if (reason == StopReason::diverged) {
    message = fmt::format(
        "the residual grew to {:.1e} times the right-hand side: the step size {:.3g} is too large "
        "or the kernel is not positive semidefinite; lower the step size, or use cg, minres or "
        "direct",
        relative.maxCoeff(), options.step_size);
  } else if (reason == StopReason::max_iterations) {
    message = fmt::format(
        "not converged after {} iterations (as intended for early stopping); otherwise raise "
        "max_iterations, or use cg or direct",
        iteration);
  } else if (reason == StopReason::cancelled) {
    message = "stopped by the caller";
  }
  SolveSummary summary = run.finish(x, reason, iteration, std::move(message));
  return {std::move(x), std::move(summary)};
}

}  // namespace stkr
