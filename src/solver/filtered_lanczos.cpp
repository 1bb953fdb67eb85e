#include "filtered_lanczos.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/parallel.hpp"
#include "solver/orthonormal_basis.hpp"
#include "solver/symmetric_eigen.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

// The remainder of a block below this, relative to the largest p(λ), is rounding.
constexpr double kNegligible = 1e-14;

// Removes from W its part in the columns of V.
void remove(ConstMatrixRef v, Matrix& w, int threads) {
  if (v.cols() > 0) subtract_product(v, tall_product(v, w, threads), w, threads);
}

}  // namespace

FilteredLanczos::FilteredLanczos(const LinearOperator& op, const ChebyshevFilter& filter,
                                 int degree, Index block, const Matrix& locked, Random& random,
                                 int threads)
    : op_(op),
      filter_(filter),
      degree_(degree),
      locked_(locked),
      threads_(threads),
      scale_(std::cosh(degree * filter.rate(filter.top))),
      width_(filter.top - filter.lower) {
  Matrix start(op.size(), block);
  for (Index i = 0; i < start.size(); ++i) start.data()[i] = random.normal();
  start = filtered(start);
  remove(locked_, start, threads_);
  remove(locked_, start, threads_);
  const double length = column_norms(start, threads_).maxCoeff();
  newest_ = orthonormal_basis(start, kNegligible * length, {locked_}, threads_).vectors;
}

Matrix FilteredLanczos::filtered(const Matrix& x) {
  Matrix y = x;
  const Index panel = op_.panel_columns() > 0 ? op_.panel_columns() : x.cols();
  const Index panels = (x.cols() + panel - 1) / panel;
  // Panels that stay in cache run concurrently; other operators use threads internally.
  parallel_tasks(panels, op_.panel_columns() > 0 ? threads_ : 1, [&](Index k) {
    const Index width = std::min(panel, x.cols() - k * panel);
    filter_.apply(op_, degree_, y.middleCols(k * panel, width));
  });
  products_ += degree_ * x.cols();
  return scale_ * y;
}

void FilteredLanczos::append(const Matrix& block) {
  if (dimension_ + block.cols() > basis_.cols()) {
    basis_.conservativeResize(block.rows(), 3 * (dimension_ + block.cols()) / 2);
  }
  basis_.middleCols(dimension_, block.cols()) = block;
  dimension_ += block.cols();
  widths_.push_back(block.cols());
}

void FilteredLanczos::grow(Index dimension, const std::stop_token& cancel) {
  if (basis_.cols() < dimension + newest_.cols()) {
    basis_.conservativeResize(op_.size(), dimension + newest_.cols());
  }
  while (dimension_ < dimension && !invariant()) {
    throw_if_cancelled(cancel);
    Matrix w = filtered(newest_);
    append(newest_);
    diagonal_.push_back(symmetric_tall_product(newest_, w, threads_));
    subtract_product(newest_, diagonal_.back(), w, threads_);
    if (widths_.size() > 1) {
      const Index width = widths_[widths_.size() - 2];
      subtract_product(basis_.middleCols(dimension_ - newest_.cols() - width, width),
                       below_.back().transpose(), w, threads_);
    }
    // The recurrence leaves rounding errors in the older blocks, which p(A) amplifies.
    remove(locked_, w, threads_);
    remove(basis(), w, threads_);
    OrthonormalBasis next =
        orthonormal_basis(w, kNegligible * scale_, {locked_, basis()}, threads_);
    below_.push_back(std::move(next.coordinates));
    newest_ = std::move(next.vectors);
  }
}

FilteredLanczos::Ritz FilteredLanczos::ritz(Index count) const {
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

Matrix FilteredLanczos::vectors(const Ritz& ritz) const {
  return tall_times_small(basis(), ritz.weights, threads_);
}

}  // namespace stkr
