#pragma once

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "runtime/random.hpp"
#include "solver/nystrom_preconditioner.hpp"
#include "solver/orthonormal_basis_template.hpp"
#include "solver/symmetric_eigen.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace detail {

// Ω with orthonormal columns and Y = A Ω. Both grow by columns, so that a larger rank reuses all
// products made for the smaller one.
template <class Block>
class Sketch {
 public:
  Sketch(const BasicLinearOperator<Block>& a, const NystromOptions& options, const Context& context)
      : a_(a),
        options_(options),
        context_(context),
        random_(context.seed),
        omega_(a.new_block(0)),
        y_(a.new_block(0)) {}

  const Block& omega() const { return omega_; }
  const Block& y() const { return y_; }
  long products() const { return products_; }

  void grow(Index columns) {
    Block more = a_.new_block(columns);
    fill_normal(random_, more);
    // Twice, because the remainder of a Gaussian column among many others may be short.
    for (int pass = 0; pass < 2; ++pass) {
      subtract_product(omega_, tall_product(omega_, more, context_.threads), more,
                       context_.threads);
    }
    more = orthonormal_basis<Block>(more, 1e-8, {omega_}, context_.threads).vectors;
    Block image = block_like(more, more.cols());
    const Index width = options_.at_once > 0 ? options_.at_once : std::max<Index>(more.cols(), 1);
    for (Index first = 0; first < more.cols(); first += width) {
      context_.check_cancelled();
      const Index count = std::min(width, more.cols() - first);
      a_.apply(columns_of(more, first, count), mutable_columns(image, first, count));
      ++products_;
    }
    if (!all_finite(image, context_.threads)) {
      throw ValueError(
          "nystrom preconditioner: a product with the operator is not finite: the kernel or the "
          "weights overflow; divide all of them by the largest, or rescale the features");
    }
    append_columns<Block>(omega_, more, context_.threads);
    append_columns<Block>(y_, image, context_.threads);
  }

 private:
  const BasicLinearOperator<Block>& a_;
  const NystromOptions& options_;
  const Context& context_;
  Random random_;
  Block omega_;
  Block y_;
  long products_ = 0;
};

// A ≈ Y (ΩᵀY)⁻¹ Yᵀ = B Bᵀ with B = Y C⁻¹ and ΩᵀY = CᵀC; then B = V R and R Rᵀ = W Λ Wᵀ give the
// eigenvectors V W. A small shift ν makes the Cholesky factorization succeed if A has a lower rank
// than the sketch or is positive semidefinite only up to rounding; it is then subtracted from Λ.
template <class Block>
std::pair<Vector, Block> approximate(const Sketch<Block>& sketch, Index size, int threads) {
  const Block& omega = sketch.omega();
  const double norm = column_norms(sketch.y(), threads).norm();
  if (!(norm > 0.0)) return {Vector(0), block_like(omega, 0)};
  const Matrix core = tall_product(omega, sketch.y(), threads);
  double nu = std::sqrt(static_cast<double>(size)) * std::numeric_limits<double>::epsilon() * norm;
  Eigen::LLT<Eigen::MatrixXd> factor;
  while (true) {
    Eigen::MatrixXd shifted = 0.5 * (core + core.transpose());
    shifted.diagonal().array() += nu;
    factor.compute(shifted);
    if (factor.info() == Eigen::Success) break;
    nu *= 100.0;
  }
  const Matrix inverse =
      factor.matrixU().solve(Eigen::MatrixXd::Identity(core.rows(), core.cols()));
  Block b = copy_of<Block>(sketch.y(), threads);
  axpby(nu, omega, 1.0, b, threads);
  multiply_by_upper(b, inverse, threads);
  const BasicOrthonormalBasis<Block> basis =
      orthonormal_basis<Block>(b, std::sqrt(nu), {}, threads);
  SymmetricEigen small = symmetric_eigen(basis.coordinates * basis.coordinates.transpose());
  small.values = (small.values.array() - nu).max(0.0);
  return {std::move(small.values), tall_times_small(basis.vectors, small.vectors, threads)};
}

}  // namespace detail

template <class Block>
BasicNystromPreconditioner<Block>::BasicNystromPreconditioner(const BasicLinearOperator<Block>& a,
                                                              double mu,
                                                              const NystromOptions& options,
                                                              const Context& context)
    : size_(a.size()), threads_(context.threads) {
  if (!(mu > 0.0) || !std::isfinite(mu) || options.rank < 1 || options.most_rank < 1) {
    throw ValueError(fmt::format(
        "nystrom preconditioner: shift {}, rank {} of at most {}; expected all positive", mu,
        options.rank, options.most_rank));
  }
  const Index most = std::min(options.most_rank, a.size());
  detail::Sketch<Block> sketch(a, options, context);
  Index rank = std::min(options.rank, most);
  while (true) {
    sketch.grow(rank - sketch.omega().cols());
    std::tie(values_, vectors_) = detail::approximate<Block>(sketch, size_, threads_);
    // Fewer eigenvalues than columns: A has no others.
    const double last = values_.size() < rank ? 0.0 : values_[values_.size() - 1];  // λ_ℓ
    const double steps = 0.5 * std::sqrt(1.0 + last / mu) * std::log(2.0 / options.tolerance);
    if (last <= mu || rank >= most) break;
    if (steps * static_cast<double>(options.columns) <= static_cast<double>(rank)) break;
    rank = std::min(2 * rank, most);
  }
  products_ = sketch.products();
  const double last = values_.size() > 0 ? values_[values_.size() - 1] : 0.0;
  weights_ = (last + mu) / (values_.array() + mu) - 1.0;
}

template <class Block>
void BasicNystromPreconditioner<Block>::apply(ConstBlockView<Block> x, BlockView<Block> y) const {
  check_apply_shapes<Block>(*this, x, y, "NystromPreconditioner::apply");
  copy_block(x, y, threads_);
  // y = x + U diag(weights) Uᵀ x
  const Matrix inside = -(weights_.asDiagonal() * tall_product(vectors_, x, threads_));
  subtract_product(vectors_, inside, y, threads_);
}

template <class Block>
std::string BasicNystromPreconditioner<Block>::describe() const {
  return fmt::format("nystrom, rank {}", rank());
}

}  // namespace stkr
