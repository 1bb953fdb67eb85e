#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "linop/device_operator.hpp"
#include "solver/krylov_template.hpp"
#include "stkr/solver/krylov.hpp"

namespace stkr {
namespace detail {

// The scalars of one column, named as by Paige and Saunders. Doubles only: they are saved as a row.
struct ColumnRecurrence {
  double beta = 0.0, old_beta = 0.0;
  double dbar = 0.0, epsilon = 0.0, old_epsilon = 0.0, delta = 0.0, gamma = 1.0;
  double cosine = -1.0, sine = 0.0;
  double phi = 0.0, phibar = 0.0;

  // The next column of the QR factorization of the tridiagonal Lanczos matrix.
  void rotate(double alpha) {
    old_epsilon = epsilon;
    delta = cosine * dbar + sine * alpha;
    const double gbar = sine * dbar - cosine * alpha;
    epsilon = sine * beta;
    dbar = -cosine * beta;
    gamma = std::max(std::hypot(gbar, beta), std::numeric_limits<double>::min());
    cosine = gbar / gamma;
    sine = beta / gamma;
    phi = cosine * phibar;
    phibar = sine * phibar;
  }
};

template <class Block>
StopReason minres_sweep(KrylovRun<Block>& run, const BasicSolverOptions<Block>& options,
                        const Context& context, BlockView<Block> r, BlockView<Block> x,
                        int& iteration) {
  const Index columns = r.cols();
  const int threads = context.threads;
  std::vector<ColumnRecurrence> column(columns);
  const Vector norms = column_norms(r, threads);
  for (Index c = 0; c < columns; ++c) column[c].beta = column[c].phibar = norms[c];

  const auto zeros = [&] {
    Block block = block_like(r, columns);
    set_zero(block, threads);
    return block;
  };
  // r1 and r2 are the last two unnormalized Lanczos vectors.
  Block y = block_like(r, columns), r1 = zeros(), r2 = copy_of<Block>(r, threads);
  Block v = block_like(r, columns), w = zeros(), w1 = zeros(), w2 = zeros();
  constexpr Index kScalars = sizeof(ColumnRecurrence) / sizeof(double);
  Eigen::Map<Matrix> scalars(&column.data()->beta, columns, kScalars);
  run.restore({r, x, r1, r2, w, w1, w2}, {scalars}, iteration);
  std::vector<char> done(columns);
  Vector relative(columns);
  while (true) {
    bool any = false;
    for (Index c = 0; c < columns; ++c) {
      relative[c] = run.rhs_norms()[c] > 0.0 ? column[c].phibar / run.rhs_norms()[c] : 0.0;
      done[c] = !run.running(c) || relative[c] <= run.target(c) || column[c].beta == 0.0;
      any |= !done[c];
    }
    const bool goes_on = run.report(iteration, relative);
    const typename KrylovRun<Block>::State state{{r, x, r1, r2, w, w1, w2}, {scalars}, iteration};
    run.keep(state);
    if (!goes_on) return StopReason::cancelled;
    if (!any) return StopReason::converged;
    if (iteration >= options.max_iterations) return StopReason::max_iterations;

    // One scalar per column; 0 for a stopped one, whose v and step are then 0.
    const auto per_column = [&](auto&& value) {
      Vector result = Vector::Zero(columns);
      for (Index c = 0; c < columns; ++c) {
        if (!done[c]) result[c] = value(column[c]);
      }
      return result;
    };

    // Lanczos: v = r2/β, y = A v - (β/β_old) r1 - (α/β) r2
    scale_columns(per_column([](const ColumnRecurrence& s) { return 1.0 / s.beta; }), r2, v,
                  threads);
    run.keep_if_cancelled(state, [&] { run.product(v, y); });
    add_scaled(per_column([](const ColumnRecurrence& s) {
                 return s.old_beta > 0.0 ? -s.beta / s.old_beta : 0.0;
               }),
               r1, y, threads);
    const Vector alpha = column_dots(v, y, threads);
    Vector step = Vector::Zero(columns);
    for (Index c = 0; c < columns; ++c) {
      if (!done[c]) step[c] = -alpha[c] / column[c].beta;
    }
    add_scaled(step, r2, y, threads);
    std::swap(r1, r2);
    std::swap(r2, y);
    const Vector beta = column_norms(r2, threads);
    for (Index c = 0; c < columns; ++c) {
      if (done[c]) continue;
      column[c].old_beta = column[c].beta;
      column[c].beta = beta[c];
      column[c].rotate(alpha[c]);
    }

    // w = (v - ε_old w1 - δ w2)/γ, x += φ w, in one pass
    std::swap(w1, w2);
    std::swap(w2, w);
    const DirectionStep direction{
        .scale = per_column([](const ColumnRecurrence& s) { return 1.0 / s.gamma; }),
        .older = per_column([](const ColumnRecurrence& s) { return s.old_epsilon; }),
        .old = per_column([](const ColumnRecurrence& s) { return s.delta; }),
        .length = per_column([](const ColumnRecurrence& s) { return s.phi; })};
    direction_step(direction, v, w1, w2, w, x, threads);
    ++iteration;
  }
}

}  // namespace detail

template <class Block>
BasicSolveResult<Block> solve_minres(const BasicLinearOperator<Block>& a, ConstBlockView<Block> b,
                                     const BasicSolverOptions<Block>& options,
                                     const Context& context) {
  if constexpr (std::same_as<Block, Matrix>) {
    if (const auto device = a.on_device()) return device->solve_minres(b, options, context);
  }
  detail::KrylovRun<Block> run("minres", a, b, column_norms(b, context.threads), options, context);
  return detail::refine<Block>(
      run, b, options, context, [&](BlockView<Block> r, BlockView<Block> x, int& iteration) {
        return detail::minres_sweep<Block>(run, options, context, r, x, iteration);
      });
}

}  // namespace stkr
