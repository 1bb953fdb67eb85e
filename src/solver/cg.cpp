#include "stkr/solver/cg.hpp"

#include <fmt/format.h>

#include "krylov.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

// z = P⁻¹ r, or r itself without a preconditioner. Known eigenvectors are removed from z as from r,
// so P need not know them.
class Preconditioning {
 public:
  explicit Preconditioning(const CgOptions& options) : options_(options) {}

  ConstMatrixRef apply(ConstMatrixRef r) {
    if (!options_.preconditioner) return r;
    z_.resize(r.rows(), r.cols());
    options_.preconditioner->apply(r, z_);
    if (options_.deflation.space) options_.deflation.space->project_out(z_);
    return z_;
  }

 private:
  const CgOptions& options_;
  Matrix z_;
};

// One run of conjugate gradients for A d = r from d = 0; adds d to x. Stopped columns get zero step
// lengths.
StopReason cg_sweep(detail::KrylovRun& run, const CgOptions& options, const Context& context,
                    MatrixRef r, MatrixRef x, int& iteration) {
  const Index columns = r.cols();
  const double target = 0.5 * options.tolerance;  // margin for drift of the recurrence
  if (options.deflation.space) options.deflation.space->project_out(r);
  Preconditioning preconditioning(options);
  Matrix p = preconditioning.apply(r);
  Matrix ap(r.rows(), columns);
  Vector squares = column_dots(r, r, context.threads);                                 // ‖r‖²
  Vector rho = options.preconditioner ? column_dots(r, p, context.threads) : squares;  // rᵀz
  Matrix scalars(2, columns);  // ‖r‖² and rᵀz
  if (run.restore(std::vector<MatrixRef>{r, x, p, scalars}, iteration)) {
    squares = scalars.row(0);
    rho = scalars.row(1);
  }
  const auto keep = [&] {
    scalars << squares.transpose(), rho.transpose();
    run.keep(std::vector<ConstMatrixRef>{r, x, p, scalars}, iteration);
  };
  std::vector<char> done(columns);
  const auto relative = [&] {
    return Vector(squares.cwiseSqrt().cwiseQuotient(
        run.rhs_norms().unaryExpr([](double norm) { return norm > 0.0 ? norm : 1.0; })));
  };
  while (true) {
    const Vector now = relative();
    bool any = false;
    for (Index c = 0; c < columns; ++c) {
      done[c] = !run.running(c) || now[c] <= target;
      any |= !done[c];
    }
    const bool goes_on = run.report(iteration, now);
    keep();
    if (!goes_on) return StopReason::cancelled;
    if (!any) return StopReason::converged;
    if (iteration >= options.max_iterations) return StopReason::max_iterations;

    run.product(p, ap);
    const Vector curvature = column_dots(p, ap, context.threads);  // pᵀAp
    Vector alpha = Vector::Zero(columns);
    for (Index c = 0; c < columns; ++c) {
      if (done[c]) continue;
      if (!(curvature[c] > 0.0)) return StopReason::breakdown;
      alpha[c] = rho[c] / curvature[c];
    }
    add_scaled(alpha, p, x, context.threads);
    add_scaled(-alpha, ap, r, context.threads);
    const ConstMatrixRef z = preconditioning.apply(r);
    squares = column_dots(r, r, context.threads);
    const Vector next = options.preconditioner ? column_dots(r, z, context.threads) : squares;
    Vector beta = Vector::Zero(columns);
    for (Index c = 0; c < columns; ++c) {
      if (!done[c]) beta[c] = next[c] / rho[c];
    }
    rho = next;
    scale_and_add(beta, z, p, context.threads);
    ++iteration;
  }
}

}  // namespace

SolveResult solve_cg(const LinearOperator& a, ConstMatrixRef b, const CgOptions& options,
                     const Context& context) {
  const KnownEigenspace* space = options.deflation.space;
  if (options.preconditioner && options.preconditioner->size() != a.size()) {
    throw ShapeError(fmt::format("cg: the preconditioner has size {} but the operator has size {}",
                                 options.preconditioner->size(), a.size()));
  }
  const auto solve = [&](ConstMatrixRef rhs, const Vector& scale) {
    detail::KrylovRun run("cg", a, rhs, scale, options, context);
    return detail::refine(run, rhs, options, [&](MatrixRef r, MatrixRef x, int& iteration) {
      return cg_sweep(run, options, context, r, x, iteration);
    });
  };
  if (!space) return solve(b, column_norms(b, context.threads));
  detail::check_right_hand_side("cg", a, b);
  // x = U Uᵀb / eigenvalue is exact and kept apart: with an eigenvalue of 1e-6 it is so large that
  // its rounding would hide the residual of the rest from the iteration.
  Matrix rest = b;
  space->project_out(rest);
  SolveResult result = solve(rest, column_norms(b, context.threads));
  space->project_out(result.solution);
  space->add(space->coefficients(b) / options.deflation.eigenvalue, result.solution);
  return result;
}

}  // namespace stkr
