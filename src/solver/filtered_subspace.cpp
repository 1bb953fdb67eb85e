#include "filtered_subspace.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "rayleigh_ritz.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/linop/parallel.hpp"

namespace stkr {
namespace {

// How far a filter may favour what a column holds of another eigenvector: the Gram matrix of such
// columns still has a Cholesky factor, and what is left of the column's own part 9 good digits.
constexpr double kMostAmplification = 1e7;

// Filtering goes on to this part of the tolerance: a sweep that just misses it costs another.
constexpr double kTarget = 0.03;

// Locked pairs are this much better than the tolerance: their residuals add up in the others.
constexpr double kLocked = 0.1;

// body(first, last) for panels of the columns [begin, end): at the same time where the operator
// allows it, each then on one thread, because threads that share a panel wait for each other at
// every product.
template <class Body>
void for_each_panel(const LinearOperator& op, Index begin, Index end, int threads, Body&& body) {
  const Index panel = op.panel_columns();
  if (panel == 0) {
    if (begin < end) body(begin, end);
    return;
  }
  parallel_chunks(end - begin, panel, threads,
                  [&](Index first, Index last) { body(begin + first, begin + last); });
}

Vector joined(const Vector& a, const Vector& b) {
  Vector result(a.size() + b.size());
  result << a, b;
  return result;
}

Matrix chosen_columns(const Matrix& x, const std::vector<Index>& columns) {
  Matrix result(x.rows(), static_cast<Index>(columns.size()));
  for (Index i = 0; i < x.rows(); ++i) {
    for (std::size_t c = 0; c < columns.size(); ++c) result(i, c) = x(i, columns[c]);
  }
  return result;
}

}  // namespace

FilteredSubspace::FilteredSubspace(const LinearOperator& op, Index count, Index block, double scale,
                                   const ChebyshevFilter& filter, int degree,
                                   const EigenpairOptions& options)
    : op_(op),
      options_(options),
      count_(count),
      scale_(scale),
      random_(options.seed),
      locked_(op.size(), 0),
      x_(op.size(), block) {
  const Index known = options.start ? options.start->cols() : 0;
  if (known > 0) x_.leftCols(known) = *options.start;
  for (Index i = 0; i < x_.rows(); ++i) {
    for (Index c = known; c < block; ++c) x_(i, c) = random_.normal();
  }
  for_each_panel(op, known, block, options.threads, [&](Index first, Index last) {
    if (options.control.cancel.stop_requested()) throw Cancelled("stopped by the caller");
    filter.apply(op, degree, x_.middleCols(first, last - first));
  });
}

void FilteredSubspace::rayleigh_ritz() {
  const int threads = options_.threads;
  if (locked() > 0) {
    normalize_columns(x_, random_, threads);
    project_out(locked_, x_, threads);
  }
  nearly_orthonormalize(x_, random_, threads);
  // Once more: the columns that were mostly in the span of the locked ones kept a little of it.
  if (locked() > 0) project_out(locked_, x_, threads);
  theta_ = stkr::rayleigh_ritz(op_, x_, random_, threads);
  // A pair that appears late, above one that is locked, is wanted too.
  Index wanted = count_ - locked();
  if (locked() > 0) {
    const double least = locked_theta_.minCoeff();
    while (wanted < theta_.size() && theta_[wanted] > least) ++wanted;
  }
  residuals_ = residual_norms(op_, x_.leftCols(wanted), theta_.head(wanted), threads) / scale_;
}

void FilteredSubspace::lock() {
  if (!locking_) return;
  std::vector<Index> done, active;
  for (Index c = 0; c < x_.cols(); ++c) {
    const bool good = c < wanted() && residuals_[c] <= kLocked * options_.tolerance;
    (good ? done : active).push_back(c);
  }
  if (static_cast<Index>(done.size()) < x_.cols() / 8) return;
  Matrix locked(x_.rows(), locked_.cols() + static_cast<Index>(done.size()));
  locked << locked_, chosen_columns(x_, done);
  locked_ = std::move(locked);
  x_ = chosen_columns(x_, active);
  locked_theta_ = joined(locked_theta_, theta_(done));
  locked_residuals_ = joined(locked_residuals_, residuals_(done));
  const auto left = static_cast<Index>(residuals_.size() - done.size());
  theta_ = theta_(active).eval();
  residuals_ = residuals_(std::vector<Index>(active.begin(), active.begin() + left)).eval();
}

void FilteredSubspace::unlock() {
  locking_ = false;
  Matrix all(x_.rows(), locked_.cols() + x_.cols());
  all << locked_, x_;
  x_ = std::move(all);
  locked_.resize(x_.rows(), 0);
  locked_theta_.resize(0);
  locked_residuals_.resize(0);
  rayleigh_ritz();
}

// Products that bring the slowest of the wanted columns [first, end) to the tolerance.
double FilteredSubspace::needed_degree(const ChebyshevFilter& filter, Index first,
                                       Index end) const {
  double needed = 0.0;
  for (Index i = first; i < end; ++i) {
    if (residuals_[i] <= options_.tolerance) continue;
    const double reduction = residuals_[i] / (kTarget * options_.tolerance);
    needed = std::max(needed, std::log(2.0 * reduction) / std::max(filter.rate(theta_[i]), 1e-6));
  }
  return needed;
}

// Products that rounding forgives: column i holds at most about residual j of an eigenvector j
// above it, and the filter favours that part by T_m(θ_j)/T_m(θ_i).
double FilteredSubspace::allowed_degree(const ChebyshevFilter& filter, Index last) const {
  const double slowest = filter.rate(theta_[last - 1]);
  double allowed = 1e6;
  const auto limit = [&](double theta, double residual) {
    const double excess = filter.rate(theta) - slowest;
    const double held = std::clamp(residual, 1e-15, 1.0);
    if (excess > 0.0) allowed = std::min(allowed, std::log(kMostAmplification / held) / excess);
  };
  for (Index j = 0; j < std::min(last, wanted()); ++j) limit(theta_[j], residuals_[j]);
  for (Index j = 0; j < locked(); ++j) limit(locked_theta_[j], locked_residuals_[j]);
  return allowed;
}

int FilteredSubspace::filter(const ChebyshevFilter& filter) {
  std::atomic<int> longest = 0;
  for_each_panel(op_, 0, x_.cols(), options_.threads, [&](Index first, Index last) {
    if (options_.control.cancel.stop_requested()) return;
    const Index end = std::min(last, wanted());
    // Columns behind the wanted ones serve all of those.
    const double needed = needed_degree(filter, last > wanted() ? 0 : first, end);
    if (needed == 0.0) return;
    const int degree =
        static_cast<int>(std::clamp(std::min(needed, allowed_degree(filter, last)), 4.0,
                                    static_cast<double>(options_.filter_degree)));
    filter.apply(op_, degree, x_.middleCols(first, last - first));
    for (int seen = longest; seen < degree && !longest.compare_exchange_weak(seen, degree);) {
    }
  });
  return longest;
}

void FilteredSubspace::store(Eigenpairs& result) const {
  const Vector values = joined(locked_theta_, theta_.head(wanted()));
  const Vector residuals = joined(locked_residuals_, residuals_);
  std::vector<Index> order(values.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return values[a] > values[b]; });
  order.resize(count_);
  Matrix all(x_.rows(), values.size());
  all << locked_, x_.leftCols(wanted());
  result.values = values(order);
  result.residuals = residuals(order);
  result.vectors = chosen_columns(all, order);
}

}  // namespace stkr
