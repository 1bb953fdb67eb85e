#include "stkr/solver/eigenpairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/linop/random.hpp"
#include "stkr/solver/spectrum.hpp"
#include "stkr/solver/symmetric_eigen.hpp"

namespace stkr {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Makes the columns orthonormal: twice X ← X V Λ^(-1/2) with XᵀX = V Λ Vᵀ, after scaling columns to
// norm 1. Directions lost to rounding are replaced by random ones.
void orthonormalize(Matrix& x, Random& random, int threads) {
  for (int pass = 0; pass < 3; ++pass) {
    const Vector norms = column_norms(x, threads);
    for (Index c = 0; c < x.cols(); ++c) {
      if (norms[c] > 0.0 && std::isfinite(norms[c])) {
        x.col(c) /= norms[c];
      } else {
        for (Index i = 0; i < x.rows(); ++i) x(i, c) = random.normal();
        x.col(c).normalize();
      }
    }
    SymmetricEigen gram = symmetric_eigen(tall_product(x, x, threads));
    const double floor = 1e-15 * gram.values[0] * static_cast<double>(x.cols());
    bool lost = false;
    for (Index c = 0; c < x.cols(); ++c) {
      lost |= gram.values[c] <= floor;
      gram.vectors.col(c) /= std::sqrt(std::max(gram.values[c], floor));
    }
    x = tall_times_small(x, gram.vectors, threads);
    if (lost) {
      for (Index c = 0; c < x.cols(); ++c) {
        if (gram.values[c] > floor) continue;
        for (Index i = 0; i < x.rows(); ++i) x(i, c) = random.normal();
      }
      pass = std::min(pass, 0);
    }
  }
}

// x ← T_m((A - centre)/half_width) x, scaled against overflow by the value at `top`.
// One column's growth is at most T_m(t)/T_m(t_top) ≤ 1, so nothing overflows.
void chebyshev_filter(const LinearOperator& op, int degree, double lower, double cut, double top,
                      Matrix& x) {
  const double centre = 0.5 * (lower + cut);
  const double half = 0.5 * (cut - lower);
  double sigma = half / (top - centre);
  const double tau = 2.0 / sigma;
  Matrix y(x.rows(), x.cols());
  op.apply(x, y);
  y = (sigma / half) * (y - centre * x);
  Matrix next(x.rows(), x.cols());
  for (int k = 2; k <= degree; ++k) {
    const double sigma_next = 1.0 / (tau - sigma);
    op.apply(y, next);
    next = (2.0 * sigma_next / half) * (next - centre * y) - (sigma * sigma_next) * x;
    x.swap(y);
    y.swap(next);
    sigma = sigma_next;
  }
  x.swap(y);
}

// The largest degree up to `wanted` at which the filter favours the top of the spectrum by no more
// than 1e11: beyond that, what rounding leaves of the top vector in the other columns outgrows
// them.
int filter_degree(int wanted, double lower, double cut, double top) {
  const double t = (2.0 * top - lower - cut) / (cut - lower);
  const double allowed = std::log(2e11) / std::acosh(t);  // T_m(t) ≈ e^{m acosh t}/2
  return std::clamp(static_cast<int>(allowed), 4, std::max(wanted, 4));
}

Eigenpairs dense_eigenpairs(const LinearOperator& op, Index count) {
  const Index n = op.size();
  Matrix a = product(op, Matrix::Identity(n, n));
  a = 0.5 * (a + a.transpose()).eval();
  SymmetricEigen eigen = symmetric_eigen_top(a, count);
  Eigenpairs result{std::move(eigen.values), std::move(eigen.vectors), {}, {}};
  const Matrix r = a * result.vectors - result.vectors * result.values.asDiagonal();
  const double scale = std::max(a.cwiseAbs().rowwise().sum().maxCoeff(), 1e-300);
  result.residuals = r.colwise().norm().transpose() / scale;
  result.summary.solver = "dense eigenpairs";
  result.summary.iterations = 1;
  result.summary.products = 1;
  return result;
}

}  // namespace

Eigenpairs top_eigenpairs(const LinearOperator& op, Index count, const EigenpairOptions& options) {
  const Index n = op.size();
  if (count < 0 || count > n) {
    throw ValueError(
        fmt::format("top_eigenpairs: {} pairs asked of an operator of size {}", count, n));
  }
  const auto start = Clock::now();
  const Index block = std::min(n, count + std::max<Index>(16, count / 5));
  if (count == 0 || n <= options.dense_below || 3 * block > n) {
    Eigenpairs result = dense_eigenpairs(op, count);
    result.summary.seconds = seconds_since(start);
    return result;
  }

  const SpectrumEstimate spectrum = estimate_spectrum(op, {.max_steps = 60,
                                                           .seed = options.seed,
                                                           .threads = options.threads,
                                                           .cancel = options.control.cancel});
  const double scale = std::max(std::abs(spectrum.bounds.lower), std::abs(spectrum.bounds.upper));
  const double lower = spectrum.bounds.lower - 1e-6 * scale;
  Random random(options.seed);
  Matrix x(n, block), ax(n, block);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = random.normal();

  Eigenpairs result;
  result.summary.solver = "chebyshev subspace iteration";
  result.summary.reason = StopReason::max_iterations;
  // The first filter must not guess a cut: one power step, then the Ritz values give it.
  op.apply(x, ax);
  x.swap(ax);
  result.summary.products = spectrum.steps + 1;
  for (int sweep = 0;; ++sweep) {
    orthonormalize(x, random, options.threads);
    op.apply(x, ax);
    ++result.summary.products;
    const Matrix projected = tall_product(x, ax, options.threads);
    const SymmetricEigen ritz = symmetric_eigen(0.5 * (projected + projected.transpose()));
    x = tall_times_small(x, ritz.vectors, options.threads);
    ax = tall_times_small(ax, ritz.vectors, options.threads);
    // R = A X - X Θ
    Matrix r = ax.leftCols(count);
    r -= x.leftCols(count) * ritz.values.head(count).asDiagonal();
    result.residuals = column_norms(r, options.threads) / scale;
    result.values = ritz.values.head(count);
    result.summary.iterations = sweep;
    const Index left = (result.residuals.array() > options.tolerance).count();
    if (options.control.progress) {
      options.control.progress(
          {"eigenpairs", sweep, options.max_iterations, result.residuals.maxCoeff(), left});
    }
    if (left == 0) {
      result.summary.reason = StopReason::converged;
      break;
    }
    if (options.control.cancel.stop_requested()) {
      result.summary.reason = StopReason::cancelled;
      result.summary.message = "stopped by the caller";
      break;
    }
    if (sweep >= options.max_iterations) {
      result.summary.message =
          fmt::format("{} of {} eigenpairs have not converged after {} sweeps", left, count, sweep);
      break;
    }
    // Everything below the smallest Ritz value of the block is unwanted.
    const double cut = std::max(ritz.values[block - 1], lower + 1e-3 * scale);
    const double top = std::max(spectrum.bounds.upper, ritz.values[0]) + 1e-12 * scale;
    const double edge = std::min(cut, top - 1e-3 * scale);
    const int degree = filter_degree(options.filter_degree, lower, edge, top);
    chebyshev_filter(op, degree, lower, edge, top, x);
    result.summary.products += degree;
  }
  result.vectors = x.leftCols(count);
  result.summary.residuals.assign(result.residuals.begin(), result.residuals.end());
  result.summary.seconds = seconds_since(start);
  return result;
}

}  // namespace stkr
