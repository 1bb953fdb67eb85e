#include "estimator/ridge_unit.hpp"

#include <cmath>

#include "stkr/estimator/fit.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {

std::vector<Index> unit_labels(Index n) {
  constexpr Index kAll = 32, kOfMore = 8;
  std::vector<Index> chosen;
  const Index count = n <= kAll ? n : kOfMore;
  for (Index k = 0; k < count; ++k) chosen.push_back(k * n / count);
  return chosen;
}

double ridge_unit_of_columns(ConstMatrixRef columns) {
  constexpr double kNothing = 0.01;
  const std::vector<Index> chosen = unit_labels(columns.rows());
  const auto count = static_cast<double>(chosen.size());
  double diagonal = 0.0;
  for (std::size_t k = 0; k < chosen.size(); ++k) diagonal += columns(chosen[k], k) / count;
  const double row = std::sqrt(columns.squaredNorm() / count);
  if (diagonal > kNothing * row) return diagonal;
  return row > 0.0 ? row : 1.0;
}

double ridge_unit(ConstMatrixRef g) {
  const std::vector<Index> chosen = unit_labels(g.rows());
  Matrix columns(g.rows(), static_cast<Index>(chosen.size()));
  for (std::size_t k = 0; k < chosen.size(); ++k) columns.col(k) = g.col(chosen[k]);
  return ridge_unit_of_columns(columns);
}

double ridge_unit(const GramOperator& gram, const SpectralAction& action,
                  std::span<const Index> labeled, double tolerance, Index at_once) {
  const auto n = static_cast<Index>(labeled.size());
  const std::vector<Index> chosen = unit_labels(n);
  const SharedRows* rows = gram.shared_rows();
  const auto count = static_cast<Index>(chosen.size());
  Matrix columns(n, count);
  for_batches(count, at_once, [&](Index first, Index batch) {
    // G e_k = Eᵀ N s(S) E e_k
    std::vector<Index> samples;
    for (Index k = 0; k < batch; ++k) samples.push_back(labeled[chosen[first + k]]);
    const auto e = ResidentBlock::scattered(gram, Matrix::Identity(batch, batch), samples);
    const ResidentBlock c = action.known_roughly(e, tolerance);
    columns.middleCols(first, batch) =
        product(gram, c, static_cast<double>(gram.size())).rows_at(rows, labeled);
  });
  return ridge_unit_of_columns(columns);
}

}  // namespace stkr
