#include "stkr/solver/eigenpairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "chebyshev_filter.hpp"
#include "filtered_subspace.hpp"
#include "stkr/error.hpp"
#include "stkr/solver/spectrum.hpp"
#include "stkr/solver/symmetric_eigen.hpp"

namespace stkr {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
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

void check_start(const LinearOperator& op, Index count, const Matrix* start) {
  if (!start || (start->rows() == op.size() && start->cols() <= count)) return;
  throw ShapeError(fmt::format(
      "top_eigenpairs: the start block is {} x {}; expected {} rows and at most {} columns",
      start->rows(), start->cols(), op.size(), count));
}

}  // namespace

Eigenpairs top_eigenpairs(const LinearOperator& op, Index count, const EigenpairOptions& options) {
  const Index n = op.size();
  if (count < 0 || count > n) {
    throw ValueError(
        fmt::format("top_eigenpairs: {} pairs asked of an operator of size {}", count, n));
  }
  check_start(op, count, options.start);
  const auto start = Clock::now();
  // More columns behind the wanted ones mean fewer products and sweeps, but each sweep costs N
  // times their square; measured on graphs, a quarter more is best.
  const Index block = std::min(n, count + std::max<Index>(16, count / 4));
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
  ChebyshevFilter filter;
  filter.lower = spectrum.bounds.lower - 1e-6 * scale;
  filter.top = spectrum.bounds.upper + 1e-12 * scale;
  const auto place_cut = [&](double cut) {
    filter.cut = std::clamp(cut, filter.lower + 1e-3 * scale, filter.top - 1e-3 * scale);
  };
  // The density of the spectrum says about where the block will end.
  const double estimated_cut = spectrum.quantile(block, n);
  place_cut(estimated_cut);
  const double first_degree = std::log(2.0 * kFirstAmplification) / filter.rate(filter.top);
  const int degree = std::clamp(static_cast<int>(first_degree), 2, options.filter_degree);
  FilteredSubspace space(op, count, block, scale, filter, degree, options);

  Eigenpairs result;
  result.summary.solver = "chebyshev subspace iteration";
  result.summary.reason = StopReason::max_iterations;
  result.summary.products = spectrum.steps + degree;
  bool trust_density = true;
  double worst_before = std::numeric_limits<double>::infinity();
  for (int sweep = 1;; ++sweep) {
    space.rayleigh_ritz();
    result.summary.products += 2;
    double worst = space.residuals().maxCoeff();
    if (worst > options.tolerance && worst > 0.5 * worst_before) {
      // Slow: the cut may be too high, or the residuals of locked pairs too large.
      if (!trust_density && space.locked() > 0) {
        space.unlock();
        worst = space.residuals().maxCoeff();
        result.summary.products += 2;
      }
      trust_density = false;
    }
    worst_before = worst;
    result.summary.iterations = sweep;
    const Index left = (space.residuals().array() > options.tolerance).count();
    if (options.control.progress) {
      options.control.progress({"eigenpairs", sweep, options.max_iterations, worst, left});
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
    // Everything below the smallest Ritz value of the block is unwanted. But rounding spoils the
    // last columns, which the filter favours least, and the density knows better. Ritz values never
    // exceed the eigenvalues they stand for, so a cut below the last wanted one is safe; after the
    // first filter it is still far from its eigenvalue.
    const double least = space.theta().tail(1)[0];
    const double last_wanted = space.theta()[space.wanted() - 1];
    filter.lower = std::min(filter.lower, least);
    filter.top = std::max(filter.top, space.theta()[0]);
    const double estimate = sweep == 1 ? estimated_cut : std::min(estimated_cut, last_wanted);
    place_cut(trust_density ? std::max(least, estimate) : least);
    space.lock();
    result.summary.products += space.filter(filter);
  }
  space.store(result);
  result.summary.residuals.assign(result.residuals.begin(), result.residuals.end());
  result.summary.seconds = seconds_since(start);
  return result;
}

}  // namespace stkr
