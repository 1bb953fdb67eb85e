#pragma once

#include <span>
#include <vector>

#include "stkr/estimator/spectral_action.hpp"

namespace stkr {

// The ridge β of the paper is added to G_{K̂_s,n} as nβ I, so what it does depends on the scale of
// the kernel, of the graph and of s. A relative ridge ρ means the same everywhere: nβ is the part ρ
// of the mean diagonal of G_{K̂_s,n}, of more than 32 labels at eight spread evenly, so that it is
// the same number whether G is formed or not. A graph without self-loops has no diagonal: where
// that is nothing beside the root mean square of these columns, that is the unit; and 1 where they
// are 0.
inline constexpr double kDefaultRidge = 0.1;

inline double paper_beta(double ridge, Index n, double unit) {
  return ridge * unit / static_cast<double>(n);
}

// The labels that it is measured at, as places among the n.
std::vector<Index> unit_labels(Index n);

// For G that is formed, or for its columns at unit_labels().
double ridge_unit(ConstMatrixRef g);
double ridge_unit_of_columns(ConstMatrixRef columns);

// For G that is known by its products, as many columns at a time as are allowed (0: all).
double ridge_unit(const GramOperator& gram, const SpectralAction& action,
                  std::span<const Index> labeled, double tolerance, Index at_once);

}  // namespace stkr
