#include "stkr/solver/eigenpairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <vector>

#include "chebyshev_filter.hpp"
#include "filtered_lanczos.hpp"
#include "solver/spectrum.hpp"
#include "solver/symmetric_eigen.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Eigenpairs dense_eigenpairs(const LinearOperator& op, Index count, const std::stop_token& cancel) {
  const Index n = op.size();
  Matrix a = product(op, Matrix::Identity(n, n));
  a = 0.5 * (a + a.transpose()).eval();
  SymmetricEigen eigen = symmetric_eigen_top(a, count, cancel);
  Eigenpairs result{std::move(eigen.values), std::move(eigen.vectors), {}, {}};
  const Matrix r = a * result.vectors - result.vectors * result.values.asDiagonal();
  const double scale = std::max(a.cwiseAbs().rowwise().sum().maxCoeff(), 1e-300);
  result.residuals = r.colwise().norm().transpose() / scale;
  result.summary.solver = "dense eigenpairs";
  result.summary.iterations = 1;
  result.summary.products = 1;
  return result;
}

// The filter and how far it amplifies the wanted part of the spectrum.
struct Search {
  ChebyshevFilter filter;
  int degree = 2;
  Index block = 16;
};

// p(λ) at the last wanted eigenvalue and at the top. A steeper filter needs fewer dimensions, but
// if it is too steep, rounding of the top pairs swamps the last wanted ones.
constexpr double kWantedGrowth = 1e3;
constexpr double kLargestGrowth = 1e10;

// Places the cut below the wanted eigenvalues, based on the spectral density.
Search plan_search(const SpectrumEstimate& spectrum, Index count, Index n, double surplus,
                   double scale, const EigenpairOptions& options) {
  Search search;
  search.block = std::clamp<Index>((count / 8 + 15) / 16 * 16, 16, 64);
  ChebyshevFilter& filter = search.filter;
  filter.lower = spectrum.bounds.lower - 1e-6 * scale;
  filter.top = spectrum.bounds.upper + 1e-12 * scale;
  const auto behind = static_cast<Index>(surplus * static_cast<double>(count)) + 8;
  // A narrower spectrum is cut at its lower end.
  const double lowest = filter.lower + 1e-3 * scale;
  filter.cut = std::clamp(spectrum.quantile(std::min(count + behind, n), n), lowest,
                          std::max(lowest, filter.top - 1e-3 * scale));
  const double last = filter.rate(spectrum.quantile(count, n));
  const double most = std::log(2.0 * kLargestGrowth) / filter.rate(filter.top);
  const double wanted = last > 0.0 ? std::log(2.0 * kWantedGrowth) / last : most;
  search.degree = std::clamp(static_cast<int>(std::min(wanted, most)), 2, options.filter_degree);
  return search;
}

// A x - λ x for orthonormal x, λ = xᵀA x.
void rayleigh_quotients(const LinearOperator& op, const Matrix& x, double scale, int threads,
                        Eigenpairs& pairs) {
  Matrix ax = product(op, x);
  pairs.values = column_dots(x, ax, threads);
  for (Index i = 0; i < ax.rows(); ++i) {
    ax.row(i) -= pairs.values.transpose().cwiseProduct(x.row(i));
  }
  pairs.residuals = column_norms(ax, threads) / scale;
}

// Searches the wanted end of a spectrum, each time in the complement of the pairs already found.
class EigenSearch {
 public:
  EigenSearch(const LinearOperator& op, Index count, const EigenpairOptions& options,
              const Context& context)
      : op_(op), count_(count), options_(options), context_(context), random_(context.seed) {
    spectrum_ = estimate_spectrum(op, {.max_steps = 60}, context);
    scale_ = std::max({std::abs(spectrum_.bounds.lower), std::abs(spectrum_.bounds.upper), 1e-300});
    products_ = static_cast<double>(spectrum_.steps);
    found_.vectors.resize(op.size(), 0);
    found_.summary.solver = "filtered block Lanczos";
    found_.summary.reason = StopReason::max_iterations;
  }

  Eigenpairs run() {
    // A multiple of the identity: every vector is an eigenvector, and no filter can separate them.
    if (spectrum_.bounds.upper - spectrum_.bounds.lower <= 1e-10 * scale_) {
      add(Matrix::Identity(op_.size(), count_), Converged::need_not_be);
    }
    // One run finds at most `block` copies of a multiple eigenvalue: search the complement until
    // nothing above the last one is left.
    while (found() < count_ ||
           (found_.residuals.maxCoeff() <= options_.tolerance && overlooked())) {
      if (!search(std::max(count_ - found(), std::min<Index>(count_, 16)))) {
        add(unfinished_, Converged::need_not_be);
        break;
      }
    }
    const Index left = found() < count_ ? count_ - found()
                                        : (found_.residuals.array() > options_.tolerance).count();
    if (left == 0) {
      found_.summary.reason = StopReason::converged;
    } else {
      found_.summary.message =
          fmt::format("{} of {} eigenpairs have not converged after {} attempts", left, count_,
                      found_.summary.iterations);
    }
    found_.summary.products = std::lround(products_);
    return std::move(found_);
  }

 private:
  Index found() const { return found_.values.size(); }

  FilteredLanczos lanczos(const Search& plan, Index block) {
    return {op_, plan.filter, plan.degree, block, found_.vectors, random_, context_.threads};
  }

  void count_products(const FilteredLanczos& space) {
    // Counted in blocks of `count_` columns, as elsewhere.
    products_ += static_cast<double>(space.products()) / static_cast<double>(count_);
  }

  // Whether the complement of the pairs found contains an eigenvalue above the last of them: two
  // blocks from a random start would reveal it, amplified by p twice.
  bool overlooked() {
    if (found_.vectors.cols() == op_.size()) return false;
    const double last = found_.values.minCoeff();
    const Search plan = plan_search(spectrum_, count_, op_.size(), surplus_, scale_, options_);
    FilteredLanczos space = lanczos(plan, 16);
    space.grow(32, context_.cancel);
    count_products(space);
    if (space.dimension() == 0) return false;
    const double seen = space.ritz(1).values[0];
    const double growth = std::cosh(plan.degree * plan.filter.rate(last));
    return seen > 1.01 * growth && seen > 2.0;
  }

  // Adds the `wanted` largest pairs of the complement. Returns false on failure.
  bool search(Index wanted) {
    double gentler = 1.0;  // factor on the degree
    for (int attempt = 0; attempt < options_.max_iterations; ++attempt) {
      ++found_.summary.iterations;
      Search plan = plan_search(spectrum_, count_, op_.size(), surplus_, scale_, options_);
      plan.degree = std::max(2, static_cast<int>(gentler * plan.degree));
      FilteredLanczos space = lanczos(plan, plan.block);
      const Outcome outcome = converge(space, plan, wanted);
      count_products(space);
      if (outcome == Outcome::converged) return true;
      if (outcome == Outcome::too_steep) {
        gentler *= 0.6;
      } else {
        surplus_ *= 2.0;
      }
      if (surplus_ * static_cast<double>(count_) > static_cast<double>(op_.size())) return false;
    }
    return false;
  }

  enum class Outcome { converged, cut_too_high, too_steep };
  enum class Converged { must_be, need_not_be };

  Outcome converge(FilteredLanczos& space, const Search& plan, Index wanted) {
    const Index limit = std::min(op_.size() - found(), 3 * wanted + 12 * plan.block);
    Index goal = wanted + wanted / 2 + 2 * plan.block;
    for (;;) {
      space.grow(std::min(goal, limit), context_.cancel);
      if (space.dimension() == 0) return Outcome::converged;  // nothing is left
      const FilteredLanczos::Ritz ritz = space.ritz(wanted);
      const double worst = ritz.residuals.maxCoeff() / scale_;
      if (context_.progress) {
        const Index left = (ritz.residuals.array() > options_.tolerance * scale_).count();
        context_.progress(
            {"eigenpairs", found_.summary.iterations, options_.max_iterations, worst, left});
      }
      const bool separated = ritz.values.tail(1)[0] > 2.0;
      if (space.invariant() || (separated && worst <= 0.3 * options_.tolerance)) {
        unfinished_ = space.vectors(ritz);
        return add(unfinished_, Converged::must_be) ? Outcome::converged : Outcome::too_steep;
      }
      if (!separated || space.dimension() >= limit) {
        unfinished_ = space.vectors(ritz);
        return Outcome::cut_too_high;
      }
      // A block reduces the residuals by a factor of 30 to 1000.
      const double blocks = std::log(worst / (0.3 * options_.tolerance)) / std::log(100.0);
      goal = space.dimension() +
             plan.block * std::clamp(static_cast<Index>(std::ceil(blocks)), Index{1}, Index{6});
    }
  }

  // Merges pairs with those found and keeps the largest `count_`; returns false if new pairs that
  // must have converged have not.
  bool add(const Matrix& x, Converged converged) {
    Eigenpairs pairs;
    rayleigh_quotients(op_, x, scale_, context_.threads, pairs);
    if (converged == Converged::must_be && pairs.residuals.maxCoeff() > options_.tolerance) {
      return false;
    }
    Matrix all(x.rows(), found() + x.cols());
    all << found_.vectors, x;
    const Vector values = (Vector(all.cols()) << found_.values, pairs.values).finished();
    const Vector residuals = (Vector(all.cols()) << found_.residuals, pairs.residuals).finished();
    std::vector<Index> order(all.cols());
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return values[a] > values[b]; });
    order.resize(std::min<Index>(count_, all.cols()));
    found_.values = values(order);
    found_.residuals = residuals(order);
    found_.vectors = all(Eigen::all, order);
    return true;
  }

  const LinearOperator& op_;
  const Index count_;
  const EigenpairOptions& options_;
  const Context& context_;
  Random random_;
  SpectrumEstimate spectrum_;
  double scale_ = 1.0;
  double surplus_ = 0.3;  // fraction of eigenvalues below the wanted ones that pass the filter
  double products_ = 0.0;
  Matrix unfinished_;  // the vectors of the last attempt
  Eigenpairs found_;
};

}  // namespace

Eigenpairs top_eigenpairs(const LinearOperator& op, Index count, const EigenpairOptions& options,
                          const Context& context) {
  const Index n = op.size();
  if (count < 0 || count > n) {
    throw ValueError(
        fmt::format("top_eigenpairs: {} pairs requested of an operator of size {}", count, n));
  }
  const auto start = Clock::now();
  Eigenpairs result;
  if (count == 0 || n <= options.dense_below || n < 3 * count) {
    result = dense_eigenpairs(op, count, context.cancel);
  } else {
    result = EigenSearch(op, count, options, context).run();
  }
  result.summary.residuals.assign(result.residuals.begin(), result.residuals.end());
  result.summary.seconds = seconds_since(start);
  return result;
}

}  // namespace stkr
