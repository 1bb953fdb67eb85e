#include "solver/orthonormal_basis.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <optional>

#include "solver/symmetric_eigen.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

// Directions within this factor of the longest are processed in one round. Their Gram matrix has a
// condition number of at most 1e6, so they become orthonormal to about 1e-10.
constexpr double kRoundSpan = 1e-3;

// For longer columns, rounding in W relative to `against` is negligible.
constexpr double kShort = 1e-3;

// A direction of norm 1 that keeps less than this when the others are projected out is rounding.
constexpr double kSurvives = 0.5;

// W = V Lᵀ by the Cholesky factor of WᵀW: the usual case of well-separated columns. None if they
// are not separated, or if W is so short that its rounding matters.
std::optional<OrthonormalBasis> cholesky_basis(ConstMatrixRef w, const Matrix& gram, int threads) {
  if (!(gram.diagonal().minCoeff() > kShort * kShort)) return std::nullopt;
  const Eigen::LLT<Eigen::MatrixXd> factor(gram);
  if (factor.info() != Eigen::Success || factor.rcond() < kRoundSpan * kRoundSpan) {
    return std::nullopt;
  }
  OrthonormalBasis basis;
  basis.coordinates = factor.matrixU();
  const Matrix inverse = factor.matrixU().solve(Eigen::MatrixXd::Identity(w.cols(), w.cols()));
  basis.vectors = w;
  multiply_by_upper(basis.vectors, inverse, threads);
  return basis;
}

}  // namespace

OrthonormalBasis orthonormal_basis(ConstMatrixRef w, double tolerance,
                                   const std::vector<ConstMatrixRef>& against, int threads) {
  if (w.cols() == 0) return {Matrix(w.rows(), 0), Matrix(0, 0)};
  Matrix gram_matrix = symmetric_tall_product(w, w, threads);
  if (auto basis = cholesky_basis(w, gram_matrix, threads)) return std::move(*basis);
  OrthonormalBasis basis{Matrix(w.rows(), 0), Matrix(0, w.cols())};
  Matrix rest;  // what earlier rounds left of W
  ConstMatrixRef first = w;
  for (int round = 0;; ++round) {
    const ConstMatrixRef left = round == 0 ? first : ConstMatrixRef(rest);
    if (left.cols() == 0) break;
    if (round > 0) gram_matrix = symmetric_tall_product(left, left, threads);
    const SymmetricEigen gram = symmetric_eigen(gram_matrix);
    const double longest = std::sqrt(std::max(gram.values[0], 0.0));
    if (longest <= tolerance) break;
    const double floor = std::max(tolerance, kRoundSpan * longest);
    Index taken = 0;
    while (taken < gram.values.size() && gram.values[taken] > floor * floor) ++taken;
    Matrix scaled = gram.vectors.leftCols(taken);
    for (Index c = 0; c < taken; ++c) scaled.col(c) /= std::sqrt(gram.values[c]);
    Matrix found = tall_times_small(left, scaled, threads);
    if (round > 0 || longest < kShort) {
      for (const ConstMatrixRef& block : against) {
        subtract_product(block, tall_product(block, found, threads), found, threads);
      }
      subtract_product(basis.vectors, tall_product(basis.vectors, found, threads), found, threads);
      // Directions that this nearly eliminates were only rounding.
      const SymmetricEigen again = symmetric_eigen(symmetric_tall_product(found, found, threads));
      const Index kept = (again.values.array() > kSurvives * kSurvives).count();
      found = tall_times_small(found,
                               again.vectors.leftCols(kept) *
                                   again.values.head(kept).cwiseSqrt().cwiseInverse().asDiagonal(),
                               threads);
    }
    const Index remaining = left.cols() - taken;
    Matrix next = remaining > 0 ? tall_times_small(left, gram.vectors.rightCols(remaining), threads)
                                : Matrix(w.rows(), 0);
    if (basis.vectors.cols() == 0) {
      basis.vectors = std::move(found);
    } else {
      Matrix joined(w.rows(), basis.vectors.cols() + found.cols());
      joined << basis.vectors, found;
      basis.vectors = std::move(joined);
    }
    if (remaining == 0) break;
    subtract_product(basis.vectors, tall_product(basis.vectors, next, threads), next, threads);
    rest = std::move(next);
  }
  basis.coordinates = tall_product(basis.vectors, w, threads);
  return basis;
}

}  // namespace stkr
