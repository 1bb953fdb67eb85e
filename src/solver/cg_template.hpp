#pragma once

#include <fmt/format.h>

#include <vector>

#include "linop/device_operator.hpp"
#include "solver/krylov_template.hpp"
#include "stkr/error.hpp"
#include "stkr/solver/krylov.hpp"

namespace stkr {
namespace detail {

// z = P⁻¹ r, or r itself without a preconditioner. Known eigenvectors are removed from z as from r,
// so P need not know them.
template <class Block>
class Preconditioning {
 public:
  Preconditioning(const BasicCgOptions<Block>& options, int threads)
      : options_(options), threads_(threads) {}

  ConstBlockView<Block> apply(ConstBlockView<Block> r) {
    if (!options_.preconditioner) return r;
    if (z_.cols() != r.cols()) z_ = block_like(r, r.cols());
    options_.preconditioner->apply(r, z_);
    if (options_.deflation.space) project_out(*options_.deflation.space, z_, threads_);
    return z_;
  }

 private:
  const BasicCgOptions<Block>& options_;
  int threads_;
  Block z_;
};

// One run of conjugate gradients for A d = r from d = 0; adds d to x. Stopped columns get zero step
// lengths.
template <class Block>
StopReason cg_sweep(KrylovRun<Block>& run, const BasicCgOptions<Block>& options,
                    const Context& context, BlockView<Block> r, BlockView<Block> x,
                    int& iteration) {
  const Index columns = r.cols();
  const int threads = context.threads;
  if (options.deflation.space) project_out(*options.deflation.space, r, threads);
  Preconditioning<Block> preconditioning(options, threads);
  Block p = copy_of<Block>(preconditioning.apply(r), threads);
  Block ap = block_like(r, columns);
  Vector squares = column_dots(r, r, threads);                                 // ‖r‖²
  Vector rho = options.preconditioner ? column_dots(r, p, threads) : squares;  // rᵀz
  Matrix scalars(2, columns);  // ‖r‖² and rᵀz
  if (run.restore({r, x, p}, {scalars}, iteration)) {
    squares = scalars.row(0);
    rho = scalars.row(1);
  }
  std::vector<char> done(columns);
  const auto relative = [&] {
    return Vector(squares.cwiseSqrt().cwiseQuotient(
        run.rhs_norms().unaryExpr([](double norm) { return norm > 0.0 ? norm : 1.0; })));
  };
  while (true) {
    const Vector now = relative();
    bool any = false;
    for (Index c = 0; c < columns; ++c) {
      done[c] = !run.running(c) || now[c] <= run.target(c);
      any |= !done[c];
    }
    const bool goes_on = run.report(iteration, now);
    scalars << squares.transpose(), rho.transpose();
    const typename KrylovRun<Block>::State state{{r, x, p}, {scalars}, iteration};
    run.keep(state);
    if (!goes_on) return StopReason::cancelled;
    if (!any) return StopReason::converged;
    if (iteration >= options.max_iterations) return StopReason::max_iterations;

    run.keep_if_cancelled(state, [&] { run.product(p, ap); });
    // Rough products leak into the eigenvectors that this iteration leaves out.
    if (run.rough() && options.deflation.space) project_out(*options.deflation.space, ap, threads);
    const Vector curvature = column_dots(p, ap, threads);  // pᵀAp
    Vector alpha = Vector::Zero(columns);
    for (Index c = 0; c < columns; ++c) {
      if (done[c]) continue;
      if (!(curvature[c] > 0.0)) return StopReason::breakdown;
      alpha[c] = rho[c] / curvature[c];
    }
    add_scaled(alpha, p, x, threads);
    add_scaled(-alpha, ap, r, threads);
    const ConstBlockView<Block> z = preconditioning.apply(r);
    squares = column_dots(r, r, threads);
    const Vector next = options.preconditioner ? column_dots(r, z, threads) : squares;
    Vector beta = Vector::Zero(columns);
    for (Index c = 0; c < columns; ++c) {
      if (!done[c]) beta[c] = next[c] / rho[c];
    }
    rho = next;
    scale_and_add(beta, z, p, threads);
    ++iteration;
  }
}

}  // namespace detail

template <class Block>
BasicSolveResult<Block> solve_cg(const BasicLinearOperator<Block>& a, ConstBlockView<Block> b,
                                 const BasicCgOptions<Block>& options, const Context& context) {
  if constexpr (std::same_as<Block, Matrix>) {
    // A preconditioner is on the host, and takes products with the host's blocks.
    const auto device = options.preconditioner ? nullptr : a.on_device();
    if (device) return device->solve_cg(b, options, context);
  }
  const int threads = context.threads;
  if (options.preconditioner && options.preconditioner->size() != a.size()) {
    throw ShapeError(fmt::format("cg: the preconditioner has size {} but the operator has size {}",
                                 options.preconditioner->size(), a.size()));
  }
  const auto solve = [&](ConstBlockView<Block> rhs, const BasicCgOptions<Block>& own) {
    detail::KrylovRun<Block> run("cg", a, rhs, column_norms(b, threads), own, context);
    return detail::refine<Block>(
        run, rhs, own, context, [&](BlockView<Block> r, BlockView<Block> x, int& iteration) {
          return detail::cg_sweep<Block>(run, own, context, r, x, iteration);
        });
  };
  const KnownEigenspace* space = options.deflation.space;
  if (!space) return solve(b, options);
  detail::check_right_hand_side("cg", b.rows(), a.local_size());
  // x = U Uᵀb / eigenvalue is exact and kept apart: with an eigenvalue of 1e-6 it is so large that
  // its rounding would hide the residual of the rest from the iteration.
  Block rest = copy_of<Block>(b, threads);
  project_out(*space, rest, threads);
  BasicCgOptions<Block> own = options;
  Block start;
  if (options.initial) {
    detail::check_initial("cg", options.initial->rows(), options.initial->cols(), b.rows(),
                          b.cols());
    start = copy_of<Block>(*options.initial, threads);
    project_out(*space, start, threads);
    own.initial = &start;
  }
  BasicSolveResult<Block> result = solve(rest, own);
  project_out(*space, result.solution, threads);
  add_projection(*space, 1.0 / options.deflation.eigenvalue, b, result.solution, threads);
  return result;
}

}  // namespace stkr
