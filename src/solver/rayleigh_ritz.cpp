#include "rayleigh_ritz.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <optional>

#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/solver/symmetric_eigen.hpp"

namespace stkr {
namespace {

// R⁻¹ with RᵀR = G, or nothing where G, with a unit diagonal, is so close to singular that rounding
// decides its factor: columns would come out as noise.
std::optional<Matrix> inverse_cholesky(const Matrix& g, double least_pivot) {
  const Eigen::LLT<Eigen::MatrixXd, Eigen::Upper> factor(g);
  if (factor.info() != Eigen::Success) return std::nullopt;
  if (factor.matrixLLT().diagonal().minCoeff() < least_pivot) return std::nullopt;
  const Index k = g.rows();
  return Matrix(factor.matrixU().solve(Eigen::MatrixXd::Identity(k, k)));
}

}  // namespace

void normalize_columns(Matrix& x, Random& random, int threads) {
  Vector norms = column_norms(x, threads);
  for (Index c = 0; c < x.cols(); ++c) {
    if (norms[c] > 0.0 && std::isfinite(norms[c])) continue;
    for (Index i = 0; i < x.rows(); ++i) x(i, c) = random.normal();
    norms[c] = x.col(c).norm();
  }
  scale_columns(norms.cwiseInverse(), x, x, threads);
}

void project_out(const Matrix& q, Matrix& x, int threads) {
  x -= tall_times_small(q, tall_product(q, x, threads), threads);
}

void nearly_orthonormalize(Matrix& x, Random& random, int threads) {
  // Each shifted pass improves a condition number by about 1e8 (Fukaya, Kannan, Nakatsukasa,
  // Yamamoto and Yanagisawa 2020), and double precision holds no more than two of those.
  constexpr int most_passes = 5;
  for (int pass = 0; pass < most_passes; ++pass) {
    normalize_columns(x, random, threads);
    Matrix g = symmetric_tall_product(x, x, threads);
    std::optional<Matrix> r_inverse = inverse_cholesky(g, 1e-6);
    const bool shifted = !r_inverse;
    if (shifted) {
      g.diagonal().array() += 100.0 * std::numeric_limits<double>::epsilon() * g.trace();
      r_inverse = inverse_cholesky(g, 0.0);
      if (!r_inverse) throw Error("top_eigenpairs: a block has no Cholesky factor");
    }
    multiply_by_upper(x, *r_inverse, threads);
    if (!shifted) return;
  }
}

Vector rayleigh_ritz(const LinearOperator& op, Matrix& x, Random& random, int threads) {
  for (;;) {
    const std::optional<Matrix> r_inverse =
        inverse_cholesky(symmetric_tall_product(x, x, threads), 0.1);
    if (!r_inverse) {
      nearly_orthonormalize(x, random, threads);
      continue;
    }
    // With X R⁻¹ orthonormal: R⁻ᵀ Xᵀ A X R⁻¹ = V Θ Vᵀ.
    const Matrix h = symmetric_tall_product(x, product(op, x), threads);
    const auto r = r_inverse->triangularView<Eigen::Upper>();
    const Matrix projected = r.transpose() * Matrix(h * r);
    SymmetricEigen ritz = symmetric_eigen(0.5 * (projected + projected.transpose()));
    x = tall_times_small(x, r * ritz.vectors, threads);
    return std::move(ritz.values);
  }
}

Vector residual_norms(const LinearOperator& op, ConstMatrixRef x, const Vector& theta,
                      int threads) {
  Matrix r = product(op, x);
  add_scaled(-theta, x, r, threads);
  return column_norms(r, threads);
}

}  // namespace stkr
