#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "stkr/kernel/nearest_neighbors.hpp"

// How a search stores dense points, and how it decides which candidates are neighbors; the same in
// one process and in several.
namespace stkr {

// Throws ParameterError if k or recall is out of range for so many points.
void check_neighbor_options(const NeighborOptions& options, Index size, const char* who);

// Candidates beyond k, to cover those that rounding may have put in the wrong order.
inline constexpr Index kSpareCandidates = 8;

// Shifted and rounded, without negative zeros, so that equal points have equal bytes.
template <class Points>
MatrixF place_points(const Points& points, const Vector& shift);

// ‖x‖²/2 of points whose rows are numbered from `first` on. Throws ValueError if one overflows.
std::vector<float> checked_half_norms(const MatrixF& points, const char* who, Index first = 0);

// A candidate with its distance in double precision.
using RankedCandidate = std::pair<double, std::int32_t>;

// Row q of `result` gets the nearest candidates; of equally near ones, those of lower numbers.
void keep_nearest(std::vector<RankedCandidate>& candidates, Index q, Neighbors& result);

// Whether rounding cannot have excluded one of the k nearest of a point of length `norm` from its
// list. A point y nearer than the k-th has ‖y‖ ≤ ‖x‖ + d_k, so the error of its value is at most
// the rounding of an inner product of that size; all values outside the list are above `worst`.
// `last` is the distance of the k-th.
bool proven_complete(float worst, double norm, double last, Index features);

}  // namespace stkr
