#include "solver/nystrom_preconditioner.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/random.hpp"
#include "solver/orthonormal_basis.hpp"
#include "solver/symmetric_eigen.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

void append_columns(Matrix& block, ConstMatrixRef more) {
  Matrix joined(more.rows(), block.cols() + more.cols());
  joined << block, more;
  block = std::move(joined);
}

// Ω with orthonormal columns and Y = A Ω. Both grow by columns, so that a larger rank reuses all
// products made for the smaller one.
class Sketch {
 public:
  Sketch(const LinearOperator& a, const NystromOptions& options, const Context& context)
      : a_(a),
        options_(options),
        context_(context),
        random_(context.seed),
        omega_(a.size(), 0),
        y_(a.size(), 0) {}

  const Matrix& omega() const { return omega_; }
  const Matrix& y() const { return y_; }
  long products() const { return products_; }

  void grow(Index columns) {
    Matrix more(a_.size(), columns);
    for (Index i = 0; i < more.size(); ++i) more.data()[i] = random_.normal();
    // Twice, because the remainder of a Gaussian column among many others may be short.
    for (int pass = 0; pass < 2; ++pass) {
      subtract_product(omega_, tall_product(omega_, more, context_.threads), more,
                       context_.threads);
    }
    more = orthonormal_basis(more, 1e-8, {omega_}, context_.threads).vectors;
    Matrix image(more.rows(), more.cols());
    const Index width = options_.at_once > 0 ? options_.at_once : std::max<Index>(more.cols(), 1);
    for (Index first = 0; first < more.cols(); first += width) {
      context_.check_cancelled();
      const Index count = std::min(width, more.cols() - first);
      a_.apply(more.middleCols(first, count), image.middleCols(first, count));
      ++products_;
    }
    if (!image.allFinite()) {
      throw ValueError(
          "nystrom preconditioner: a product with the operator is not finite: the kernel or the "
          "weights overflow; divide all of them by the largest, or rescale the features");
    }
    append_columns(omega_, more);
    append_columns(y_, image);
  }

 private:
  const LinearOperator& a_;
  const NystromOptions& options_;
  const Context& context_;
  Random random_;
  Matrix omega_;
  Matrix y_;
  long products_ = 0;
};

// A ≈ Y (ΩᵀY)⁻¹ Yᵀ = B Bᵀ with B = Y C⁻¹ and ΩᵀY = CᵀC; then B = V R and R Rᵀ = W Λ Wᵀ give the
// eigenvectors V W. A small shift ν makes the Cholesky factorization succeed if A has a lower rank
// than the sketch or is positive semidefinite only up to rounding; it is then subtracted from Λ.
SymmetricEigen approximate(const Sketch& sketch, int threads) {
  const Matrix& omega = sketch.omega();
  const double norm = sketch.y().norm();
  if (!(norm > 0.0)) return {Vector(0), Matrix(omega.rows(), 0)};
  const Matrix core = tall_product(omega, sketch.y(), threads);
  double nu =
      std::sqrt(static_cast<double>(omega.rows())) * std::numeric_limits<double>::epsilon() * norm;
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
  Matrix b = sketch.y() + nu * omega;
  multiply_by_upper(b, inverse, threads);
  const OrthonormalBasis basis = orthonormal_basis(b, std::sqrt(nu), {}, threads);
  SymmetricEigen small = symmetric_eigen(basis.coordinates * basis.coordinates.transpose());
  small.values = (small.values.array() - nu).max(0.0);
  return {std::move(small.values), tall_times_small(basis.vectors, small.vectors, threads)};
}

}  // namespace

NystromPreconditioner::NystromPreconditioner(const LinearOperator& a, double mu,
                                             const NystromOptions& options, const Context& context)
    : threads_(context.threads) {
  if (!(mu > 0.0) || !std::isfinite(mu) || options.rank < 1 || options.most_rank < 1) {
    throw ValueError(fmt::format(
        "nystrom preconditioner: shift {}, rank {} of at most {}; expected all positive", mu,
        options.rank, options.most_rank));
  }
  const Index most = std::min(options.most_rank, a.size());
  Sketch sketch(a, options, context);
  Index rank = std::min(options.rank, most);
  while (true) {
    sketch.grow(rank - sketch.omega().cols());
    SymmetricEigen eigen = approximate(sketch, threads_);
    values_ = std::move(eigen.values);
    vectors_ = std::move(eigen.vectors);
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

void NystromPreconditioner::apply(ConstMatrixRef x, MatrixRef y) const {
  check_apply_shapes(*this, x, y, "NystromPreconditioner::apply");
  y = x;
  // y = x + U diag(weights) Uᵀ x
  const Matrix inside = -(weights_.asDiagonal() * tall_product(vectors_, x, threads_));
  subtract_product(vectors_, inside, y, threads_);
}

std::string NystromPreconditioner::describe() const {
  return fmt::format("nystrom, rank {}", rank());
}

}  // namespace stkr
