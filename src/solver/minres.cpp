#include "stkr/solver/minres.hpp"

#include <cmath>
#include <limits>

#include "krylov.hpp"
#include "runtime/parallel.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

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

StopReason minres_sweep(detail::KrylovRun& run, const SolverOptions& options,
                        const Context& context, MatrixRef r, MatrixRef x, int& iteration) {
  const Index rows = r.rows(), columns = r.cols();
  const int threads = context.threads;
  const double target = 0.5 * options.tolerance;
  std::vector<ColumnRecurrence> column(columns);
  const Vector norms = column_norms(r, threads);
  for (Index c = 0; c < columns; ++c) column[c].beta = column[c].phibar = norms[c];

  // r1 and r2 are the last two unnormalized Lanczos vectors.
  Matrix y(rows, columns), r1 = Matrix::Zero(rows, columns), r2 = r;
  Matrix v(rows, columns), w = Matrix::Zero(rows, columns), w1 = w, w2 = w;
  constexpr Index kScalars = sizeof(ColumnRecurrence) / sizeof(double);
  const Eigen::Map<Matrix> scalars(&column.data()->beta, columns, kScalars);
  run.restore(std::vector<MatrixRef>{r, x, r1, r2, w, w1, w2, MatrixRef(scalars)}, iteration);
  std::vector<char> done(columns);
  Vector relative(columns);
  while (true) {
    bool any = false;
    for (Index c = 0; c < columns; ++c) {
      relative[c] = run.rhs_norms()[c] > 0.0 ? column[c].phibar / run.rhs_norms()[c] : 0.0;
      done[c] = !run.running(c) || relative[c] <= target || column[c].beta == 0.0;
      any |= !done[c];
    }
    const bool goes_on = run.report(iteration, relative);
    run.keep(std::vector<ConstMatrixRef>{r, x, r1, r2, w, w1, w2, scalars}, iteration);
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
    run.product(v, y);
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
    r1.swap(r2);
    r2.swap(y);
    const Vector beta = column_norms(r2, threads);
    for (Index c = 0; c < columns; ++c) {
      if (done[c]) continue;
      column[c].old_beta = column[c].beta;
      column[c].beta = beta[c];
      column[c].rotate(alpha[c]);
    }

    // w = (v - ε_old w1 - δ w2)/γ, x += φ w, in one pass
    w1.swap(w2);
    w2.swap(w);
    const auto row = [](const Vector& values) { return Eigen::RowVectorXd(values.transpose()); };
    const auto inverse = row(per_column([](const ColumnRecurrence& s) { return 1.0 / s.gamma; }));
    const auto epsilon = row(per_column([](const ColumnRecurrence& s) { return s.old_epsilon; }));
    const auto delta = row(per_column([](const ColumnRecurrence& s) { return s.delta; }));
    const auto phi = row(per_column([](const ColumnRecurrence& s) { return s.phi; }));
    parallel_chunks(rows, 1024, threads, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        w.row(i) = (v.row(i) - epsilon.cwiseProduct(w1.row(i)) - delta.cwiseProduct(w2.row(i)))
                       .cwiseProduct(inverse);
        x.row(i) += phi.cwiseProduct(w.row(i));
      }
    });
    ++iteration;
  }
}

}  // namespace

SolveResult solve_minres(const LinearOperator& a, ConstMatrixRef b, const SolverOptions& options,
                         const Context& context) {
  detail::KrylovRun run("minres", a, b, options, context);
  return detail::refine(run, b, options, [&](MatrixRef r, MatrixRef x, int& iteration) {
    return minres_sweep(run, options, context, r, x, iteration);
  });
}

}  // namespace stkr
