#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <vector>

#include "linop/device_operator.hpp"
#include "runtime/random.hpp"
#include "solver/filter_plan.hpp"
#include "solver/filtered_lanczos_template.hpp"
#include "solver/spectrum_template.hpp"
#include "solver/symmetric_eigen.hpp"
#include "stkr/error.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {
namespace detail {

template <class Block>
Matrix explicit_matrix(const BasicLinearOperator<Block>& op) {
  Block identity = op.new_block(op.size());
  upload(Matrix::Identity(op.size(), op.size()), identity);
  const Block image = product<Block>(op, identity);
  identity = Block();  // before the copy, which is as large
  return download(image);
}

template <class Block>
BasicEigenpairs<Block> dense_eigenpairs(const BasicLinearOperator<Block>& op, Index count,
                                        const std::stop_token& cancel) {
  Matrix a = explicit_matrix<Block>(op);
  a = 0.5 * (a + a.transpose()).eval();
  SymmetricEigen eigen = symmetric_eigen_top(a, count, cancel);
  const Matrix r = a * eigen.vectors - eigen.vectors * eigen.values.asDiagonal();
  const double scale = std::max(a.cwiseAbs().rowwise().sum().maxCoeff(), 1e-300);
  BasicEigenpairs<Block> result;
  result.vectors = op.new_block(count);
  upload(eigen.vectors, result.vectors);
  result.values = std::move(eigen.values);
  result.residuals = r.colwise().norm().transpose() / scale;
  result.summary.solver = "dense eigenpairs";
  result.summary.iterations = 1;
  result.summary.products = 1;
  return result;
}

// A x - λ x for orthonormal x, λ = xᵀA x.
template <class Block>
void rayleigh_quotients(const BasicLinearOperator<Block>& op, const Block& x, double scale,
                        int threads, Vector& values, Vector& residuals) {
  Block ax = product<Block>(op, x);
  values = column_dots(x, ax, threads);
  add_scaled(-values, x, ax, threads);
  residuals = column_norms(ax, threads) / scale;
}

// Searches the wanted end of a spectrum, each time in the complement of the pairs already found.
template <class Block>
class EigenSearch {
 public:
  EigenSearch(const BasicLinearOperator<Block>& op, Index count, const EigenpairOptions& options,
              const Context& context)
      : op_(op), count_(count), options_(options), context_(context), random_(context.seed) {
    spectrum_ = estimate_spectrum<Block>(op, {.max_steps = 60}, context);
    scale_ = std::max({std::abs(spectrum_.bounds.lower), std::abs(spectrum_.bounds.upper), 1e-300});
    products_ = static_cast<double>(spectrum_.steps);
    found_.vectors = op.new_block(0);
    found_.summary.solver = "filtered block Lanczos";
    found_.summary.reason = StopReason::max_iterations;
  }

  BasicEigenpairs<Block> run() {
    // A multiple of the identity: every vector is an eigenvector, and no filter can separate them.
    if (spectrum_.bounds.upper - spectrum_.bounds.lower <= 1e-10 * scale_) {
      Block any = op_.new_block(count_);
      upload(Matrix::Identity(op_.size(), count_), any);
      add(any, Converged::need_not_be);
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

  FilteredLanczos<Block> lanczos(const FilterPlan& plan, Index block) {
    return {op_, plan.filter, plan.degree, block, found_.vectors, random_, context_.threads};
  }

  void count_products(const FilteredLanczos<Block>& space) {
    // Counted in blocks of `count_` columns, as elsewhere.
    products_ += static_cast<double>(space.products()) / static_cast<double>(count_);
  }

  // Whether the complement of the pairs found contains an eigenvalue above the last of them: two
  // blocks from a random start would reveal it, amplified by p twice.
  bool overlooked() {
    if (found() == op_.size()) return false;
    const double last = found_.values.minCoeff();
    const FilterPlan plan = plan_filter(spectrum_, count_, op_.size(), surplus_, scale_, options_);
    FilteredLanczos<Block> space = lanczos(plan, 16);
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
      FilterPlan plan = plan_filter(spectrum_, count_, op_.size(), surplus_, scale_, options_);
      plan.degree = std::max(2, static_cast<int>(gentler * plan.degree));
      FilteredLanczos<Block> space = lanczos(plan, plan.block);
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

  Outcome converge(FilteredLanczos<Block>& space, const FilterPlan& plan, Index wanted) {
    const Index limit = std::min(op_.size() - found(), 3 * wanted + 12 * plan.block);
    Index goal = wanted + wanted / 2 + 2 * plan.block;
    for (;;) {
      space.grow(std::min(goal, limit), context_.cancel);
      if (space.dimension() == 0) return Outcome::converged;  // nothing is left
      const typename FilteredLanczos<Block>::Ritz ritz = space.ritz(wanted);
      const double worst = ritz.residuals.maxCoeff() / scale_;
      if (context_.progress) {
        const Index left = (ritz.residuals.array() > options_.tolerance * scale_).count();
        context_.progress({"eigenpairs", found_.summary.iterations, options_.max_iterations, worst,
                           left, 0.3 * options_.tolerance});
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
  bool add(const Block& x, Converged converged) {
    Vector new_values, new_residuals;
    rayleigh_quotients<Block>(op_, x, scale_, context_.threads, new_values, new_residuals);
    if (converged == Converged::must_be && new_residuals.maxCoeff() > options_.tolerance) {
      return false;
    }
    append_columns<Block>(found_.vectors, x, context_.threads);
    const Index total = found() + x.cols();
    const Vector values = (Vector(total) << found_.values, new_values).finished();
    const Vector residuals = (Vector(total) << found_.residuals, new_residuals).finished();
    std::vector<Index> order(total);
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return values[a] > values[b]; });
    order.resize(std::min<Index>(count_, total));
    found_.values = values(order);
    found_.residuals = residuals(order);
    Block kept = op_.new_block(static_cast<Index>(order.size()));
    gather_columns(found_.vectors, order, kept, context_.threads);
    found_.vectors = std::move(kept);
    return true;
  }

  const BasicLinearOperator<Block>& op_;
  const Index count_;
  const EigenpairOptions& options_;
  const Context& context_;
  Random random_;
  SpectrumEstimate spectrum_;
  double scale_ = 1.0;
  double surplus_ = 0.3;  // fraction of eigenvalues below the wanted ones that pass the filter
  double products_ = 0.0;
  Block unfinished_;  // the vectors of the last attempt
  BasicEigenpairs<Block> found_;
};

}  // namespace detail

template <class Block>
BasicEigenpairs<Block> top_eigenpairs(const BasicLinearOperator<Block>& op, Index count,
                                      const EigenpairOptions& options, const Context& context) {
  const Index n = op.size();
  if (count < 0 || count > n) {
    throw ValueError(
        fmt::format("top_eigenpairs: {} pairs requested of an operator of size {}", count, n));
  }
  if constexpr (std::same_as<Block, Matrix>) {
    if (const auto device = op.on_device()) return device->top_eigenpairs(count, options, context);
  }
  const auto start = std::chrono::steady_clock::now();
  BasicEigenpairs<Block> result;
  if (count == 0 || n <= options.dense_below || n < 3 * count) {
    result = detail::dense_eigenpairs<Block>(op, count, context.cancel);
  } else {
    result = detail::EigenSearch<Block>(op, count, options, context).run();
  }
  result.summary.residuals.assign(result.residuals.begin(), result.residuals.end());
  result.summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace stkr
