#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "solver/orthonormal_basis.hpp"
#include "solver/symmetric_eigen.hpp"

namespace stkr {
namespace detail {

// Directions within this factor of the longest are processed in one round. Their Gram matrix has a
// condition number of at most 1e6, so they become orthonormal to about 1e-10.
inline constexpr double kRoundSpan = 1e-3;

// For longer columns, rounding in W relative to `against` is negligible.
inline constexpr double kShort = 1e-3;

// A direction of norm 1 that keeps less than this when the others are projected out is rounding.
inline constexpr double kSurvives = 0.5;

// W = V Lᵀ by the Cholesky factor of WᵀW: the usual case of well-separated columns. None if they
// are not separated, or if W is so short that its rounding matters.
template <class Block>
std::optional<BasicOrthonormalBasis<Block>> cholesky_basis(const Block& w, const Matrix& gram,
                                                           int threads) {
  if (!(gram.diagonal().minCoeff() > kShort * kShort)) return std::nullopt;
  const Eigen::LLT<Eigen::MatrixXd> factor(gram);
  if (factor.info() != Eigen::Success || factor.rcond() < kRoundSpan * kRoundSpan) {
    return std::nullopt;
  }
  BasicOrthonormalBasis<Block> basis;
  basis.coordinates = factor.matrixU();
  const Matrix inverse = factor.matrixU().solve(Eigen::MatrixXd::Identity(w.cols(), w.cols()));
  basis.vectors = copy_of<Block>(w, threads);
  multiply_by_upper(basis.vectors, inverse, threads);
  return basis;
}

}  // namespace detail

template <class Block>
BasicOrthonormalBasis<Block> orthonormal_basis(const Block& w, double tolerance,
                                               const std::vector<ConstBlockView<Block>>& against,
                                               int threads) {
  if (w.cols() == 0) return {block_like(w, 0), Matrix(0, 0)};
  Matrix gram_matrix = symmetric_tall_product(w, w, threads);
  if (auto basis = detail::cholesky_basis<Block>(w, gram_matrix, threads)) return std::move(*basis);
  BasicOrthonormalBasis<Block> basis{block_like(w, 0), Matrix(0, w.cols())};
  Block rest;  // what earlier rounds left of W
  for (int round = 0;; ++round) {
    const Block& left = round == 0 ? w : rest;
    if (left.cols() == 0) break;
    if (round > 0) gram_matrix = symmetric_tall_product(left, left, threads);
    const SymmetricEigen gram = symmetric_eigen(gram_matrix);
    const double longest = std::sqrt(std::max(gram.values[0], 0.0));
    if (longest <= tolerance) break;
    const double floor = std::max(tolerance, detail::kRoundSpan * longest);
    Index taken = 0;
    while (taken < gram.values.size() && gram.values[taken] > floor * floor) ++taken;
    Matrix scaled = gram.vectors.leftCols(taken);
    for (Index c = 0; c < taken; ++c) scaled.col(c) /= std::sqrt(gram.values[c]);
    Block found = tall_times_small(left, scaled, threads);
    if (round > 0 || longest < detail::kShort) {
      for (const ConstBlockView<Block>& block : against) {
        subtract_product(block, tall_product(block, found, threads), found, threads);
      }
      subtract_product(basis.vectors, tall_product(basis.vectors, found, threads), found, threads);
      // Directions that this nearly eliminates were only rounding.
      const SymmetricEigen again = symmetric_eigen(symmetric_tall_product(found, found, threads));
      const Index kept = (again.values.array() > detail::kSurvives * detail::kSurvives).count();
      found = tall_times_small(found,
                               again.vectors.leftCols(kept) *
                                   again.values.head(kept).cwiseSqrt().cwiseInverse().asDiagonal(),
                               threads);
    }
    const Index remaining = left.cols() - taken;
    Block next = remaining > 0 ? tall_times_small(left, gram.vectors.rightCols(remaining), threads)
                               : block_like(w, 0);
    if (basis.vectors.cols() == 0) {
      basis.vectors = std::move(found);
    } else {
      append_columns<Block>(basis.vectors, found, threads);
    }
    if (remaining == 0) break;
    subtract_product(basis.vectors, tall_product(basis.vectors, next, threads), next, threads);
    rest = std::move(next);
  }
  basis.coordinates = tall_product(basis.vectors, w, threads);
  return basis;
}

}  // namespace stkr
