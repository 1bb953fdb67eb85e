#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/parallel.hpp"
#include "solver/chebyshev_filter_template.hpp"
#include "solver/filtered_lanczos.hpp"
#include "solver/orthonormal_basis_template.hpp"
#include "solver/symmetric_eigen.hpp"

namespace stkr {
namespace detail {

// The remainder of a block below this, relative to the largest p(λ), is rounding.
inline constexpr double kFilteredNegligible = 1e-14;

// Removes from W its part in the columns of V.
template <class Block>
void remove_part(ConstBlockView<Block> v, Block& w, int threads) {
  if (v.cols() > 0) subtract_product(v, tall_product(v, w, threads), w, threads);
}

}  // namespace detail

template <class Block>
FilteredLanczos<Block>::FilteredLanczos(const BasicLinearOperator<Block>& op,
                                        const ChebyshevFilter& filter, int degree, Index block,
                                        const Block& locked, Random& random, int threads)
    : op_(op),
      filter_(filter),
      degree_(degree),
      locked_(locked),
      threads_(threads),
      scale_(std::cosh(degree * filter.rate(filter.top))),
      width_(filter.top - filter.lower) {
  Block start = op.new_block(block);
  fill_normal(random, start);
  start = filtered(start);
  detail::remove_part<Block>(locked_, start, threads_);
  detail::remove_part<Block>(locked_, start, threads_);
  const double length = column_norms(start, threads_).maxCoeff();
  newest_ =
      orthonormal_basis<Block>(start, detail::kFilteredNegligible * length, {locked_}, threads_)
          .vectors;
}

template <class Block>
Block FilteredLanczos<Block>::filtered(const Block& x) {
  Block y = copy_of<Block>(x, threads_);
  const Index panel = op_.panel_columns() > 0 ? op_.panel_columns() : std::max<Index>(x.cols(), 1);
  const Index panels = (x.cols() + panel - 1) / panel;
  // Panels that stay in cache run concurrently; other operators use threads internally.
  parallel_tasks(panels, op_.panel_columns() > 0 ? threads_ : 1, [&](Index k) {
    const Index width = std::min(panel, x.cols() - k * panel);
    filter_.template apply<Block>(op_, degree_, mutable_columns(y, k * panel, width), threads_);
  });
  products_ += degree_ * x.cols();
  axpby(scale_, y, 0.0, y, threads_);
  return y;
}

template <class Block>
void FilteredLanczos<Block>::reserve(Index columns) {
  if (columns <= basis_.cols()) return;
  Block larger = op_.new_block(columns);
  if (dimension_ > 0) copy_block(basis(), mutable_columns(larger, 0, dimension_), threads_);
  basis_ = std::move(larger);
}

template <class Block>
void FilteredLanczos<Block>::append(const Block& block) {
  const Index needed = dimension_ + block.cols();
  if (needed > basis_.cols()) reserve(3 * needed / 2);
  copy_block(block, mutable_columns(basis_, dimension_, block.cols()), threads_);
  dimension_ = needed;
  widths_.push_back(block.cols());
}

template <class Block>
void FilteredLanczos<Block>::grow(Index dimension, const std::stop_token& cancel) {
  reserve(dimension + newest_.cols());
  while (dimension_ < dimension && !invariant()) {
    throw_if_cancelled(cancel);
    Block w = filtered(newest_);
    append(newest_);
    diagonal_.push_back(symmetric_tall_product(newest_, w, threads_));
    subtract_product(newest_, diagonal_.back(), w, threads_);
    if (widths_.size() > 1) {
      const Index width = widths_[widths_.size() - 2];
      subtract_product(columns_of(basis_, dimension_ - newest_.cols() - width, width),
                       below_.back().transpose(), w, threads_);
    }
    // The recurrence leaves rounding errors in the older blocks, which p(A) amplifies.
    detail::remove_part<Block>(locked_, w, threads_);
    detail::remove_part<Block>(basis(), w, threads_);
    BasicOrthonormalBasis<Block> next = orthonormal_basis<Block>(
        w, detail::kFilteredNegligible * scale_, {locked_, basis()}, threads_);
    below_.push_back(std::move(next.coordinates));
    newest_ = std::move(next.vectors);
  }
}

template <class Block>
typename FilteredLanczos<Block>::Ritz FilteredLanczos<Block>::ritz(Index count) const {
  Matrix t = Matrix::Zero(dimension_, dimension_);
  Index row = 0;
  for (std::size_t j = 0; j < widths_.size(); ++j) {
    t.block(row, row, widths_[j], widths_[j]) = diagonal_[j];
    if (j + 1 < widths_.size()) {
      t.block(row + widths_[j], row, widths_[j + 1], widths_[j]) = below_[j];
      t.block(row, row + widths_[j], widths_[j], widths_[j + 1]) = below_[j].transpose();
    }
    row += widths_[j];
  }
  SymmetricEigen eigen = symmetric_eigen(t);
  const Index kept = std::min(count, dimension_);
  eigen.values.conservativeResize(kept);
  eigen.vectors.conservativeResize(Eigen::NoChange, kept);
  Ritz result{std::move(eigen.values), {}, std::move(eigen.vectors)};
  const Matrix tail = below_.back() * result.weights.bottomRows(widths_.back());
  // The residual p(A)x - p(λ)x lies in the unwanted part, where |p| ≤ 1 and A differs from λ by
  // less than the width of the spectrum.
  result.residuals =
      (width_ * tail.colwise().norm().transpose().array() / (result.values.array() - 1.0).max(1e-3))
          .matrix();
  return result;
}

template <class Block>
Block FilteredLanczos<Block>::vectors(const Ritz& ritz) const {
  return tall_times_small(basis(), ritz.weights, threads_);
}

}  // namespace stkr
