#pragma once

#include <span>
#include <vector>

#include "estimator/spectral_action.hpp"

namespace stkr {

// The paper adds its ridge β to G_{K̂_s,n} as nβ I, so the effect depends on the scale of the
// kernel, of the graph and of s. A relative ridge ρ is scale-free: nβ is ρ times the mean diagonal
// of G_{K̂_s,n}. With more than 32 labels, the mean is taken over eight evenly spaced ones, so that
// the result does not depend on whether G is formed. A graph without self-loops has no diagonal: if
// the mean diagonal is negligible beside the root mean square of these columns, the root mean
// square is the unit; if the columns are 0, the unit is 1.
inline double paper_beta(double ridge, Index n, double unit) {
  return ridge * unit / static_cast<double>(n);
}

// The labels at which the unit is measured, as positions among the n.
std::vector<Index> unit_labels(Index n);

// For an explicit G, or for its columns at unit_labels().
double ridge_unit(ConstMatrixRef g);
double ridge_unit_of_columns(ConstMatrixRef columns);

// For G given by its products, computed `at_once` columns at a time (0: all).
double ridge_unit(const GramOperator& gram, const SpectralAction& action,
                  std::span<const Index> labeled, double tolerance, Index at_once);

}  // namespace stkr
