#include "stkr/solver/cg.hpp"

#include "krylov.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

// One run of conjugate gradients for A d = r from d = 0, adding d to x. Columns that have stopped
// get zero step lengths.
StopReason cg_sweep(detail::KrylovRun& run, const CgOptions& options, MatrixRef r, MatrixRef x,
                    int& iteration) {
  const Index columns = r.cols();
  const double target = 0.5 * options.tolerance;  // room for the recurrence to drift
  if (options.deflation.space) options.deflation.space->project_out(r);
  Matrix p = r;
  Matrix ap(r.rows(), columns);
  Vector rho = column_dots(r, r, options.threads);  // ‖r‖²
  std::vector<char> done(columns);
  const auto relative = [&] {
    return Vector(rho.cwiseSqrt().cwiseQuotient(
        run.rhs_norms().unaryExpr([](double norm) { return norm > 0.0 ? norm : 1.0; })));
  };
  while (true) {
    const Vector now = relative();
    bool any = false;
    for (Index c = 0; c < columns; ++c) {
      done[c] = !run.running(c) || now[c] <= target;
      any |= !done[c];
    }
    if (!run.report(iteration, now)) return StopReason::cancelled;
    if (!any) return StopReason::converged;
    if (iteration >= options.max_iterations) return StopReason::max_iterations;

    run.product(p, ap);
    const Vector curvature = column_dots(p, ap, options.threads);  // pᵀAp
    Vector alpha = Vector::Zero(columns);
    for (Index c = 0; c < columns; ++c) {
      if (done[c]) continue;
      if (!(curvature[c] > 0.0)) return StopReason::breakdown;
      alpha[c] = rho[c] / curvature[c];
    }
    add_scaled(alpha, p, x, options.threads);
    add_scaled(-alpha, ap, r, options.threads);
    const Vector next = column_dots(r, r, options.threads);
    Vector beta = Vector::Zero(columns);
    for (Index c = 0; c < columns; ++c) {
      if (!done[c]) beta[c] = next[c] / rho[c];
    }
    rho = next;
    scale_and_add(beta, r, p, options.threads);
    ++iteration;
  }
}

}  // namespace

SolveResult solve_cg(const LinearOperator& a, ConstMatrixRef b, const CgOptions& options) {
  detail::KrylovRun run("cg", a, b, options);
  const KnownEigenspace* space = options.deflation.space;
  return detail::refine(run, b, options, [&](MatrixRef r, MatrixRef x, int& iteration) {
    // x += U Uᵀr / eigenvalue: exact on the known eigenvectors, also for what the last sweep left.
    if (space) space->add(space->coefficients(r) / options.deflation.eigenvalue, x);
    return cg_sweep(run, options, r, x, iteration);
  });
}

}  // namespace stkr
