#include "theory/lanczos_measure.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "solver/symmetric_eigen.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

// The quadrature of the Jacobi matrix: its eigenvalues, and the squared first entries of its
// eigenvectors times ‖f‖².
SpectralMeasure gauss_quadrature(const std::vector<double>& alpha, const std::vector<double>& beta,
                                 double mass) {
  const auto k = static_cast<Index>(alpha.size());
  Matrix jacobi = Matrix::Zero(k, k);
  for (Index i = 0; i < k; ++i) {
    jacobi(i, i) = alpha[i];
    if (i + 1 < k) jacobi(i, i + 1) = jacobi(i + 1, i) = beta[i];
  }
  const SymmetricEigen eigen = symmetric_eigen(jacobi);
  return {.nodes = eigen.values.reverse(),
          .weights = mass * eigen.vectors.row(0).cwiseAbs2().reverse().transpose()};
}

}  // namespace

SpectralMeasure exact_measure(const LinearOperator& s, const Vector& f, const Context& context) {
  const Matrix dense = product(s, Matrix::Identity(s.size(), s.size()));
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (dense + dense.transpose()), context.cancel);
  return {.nodes = eigen.values.reverse(),
          .weights = (eigen.vectors.transpose() * f).cwiseAbs2().reverse(),
          .exact = true};
}

SpectralMeasure lanczos_measure(const LinearOperator& s, const Vector& f, int max_steps,
                                const std::function<bool(const SpectralMeasure&)>& enough,
                                const Context& context) {
  // Asking costs an eigendecomposition of the steps so far.
  constexpr int steps_per_question = 5;
  const int threads = context.threads;
  const double norm = f.norm();
  if (norm == 0.0) return {.nodes = Vector::Zero(1), .weights = Vector::Zero(1), .exact = true};
  const auto steps = static_cast<int>(std::min<Index>(max_steps, s.size()));
  Matrix basis(s.size(), steps);
  basis.col(0) = f / norm;
  std::vector<double> alpha, beta;
  double scale = 0.0;
  for (int k = 0;; ++k) {
    context.check_cancelled();
    const Matrix v = basis.col(k);
    Matrix w = product(s, v);
    alpha.push_back(column_dots(v, w, threads)[0]);
    // Twice is enough (Parlett).
    for (int round = 0; round < 2; ++round) {
      const Matrix done = basis.leftCols(k + 1);
      w -= tall_times_small(done, tall_product(done, w, threads), threads);
    }
    beta.push_back(column_norms(w, threads)[0]);
    scale = std::max({scale, std::abs(alpha.back()), beta.back()});
    const bool exhausted = k + 1 == s.size() || beta.back() <= 1e-14 * scale;
    if (exhausted || k + 1 == steps || k % steps_per_question == steps_per_question - 1) {
      SpectralMeasure now = gauss_quadrature(alpha, beta, norm * norm);
      now.exact = exhausted;
      const bool stop = enough(now);
      if (exhausted || k + 1 == steps || stop) return now;
    }
    basis.col(k + 1) = w.col(0) / beta.back();
  }
}

}  // namespace stkr
