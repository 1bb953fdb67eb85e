#pragma once

#include <cstdint>
#include <vector>

#include "petsc_block.hpp"
#include "stkr/linop/feature_matrix.hpp"

namespace stkr::petsc {

// The distinct points of all processes, as NeighborIndex stores those of one: shifted, in single
// precision, numbered in the order of the first sample at each. A process has the places whose
// first samples are its own.
struct SharedPlaces {
  Layout layout;                           // of places
  MatrixF points;                          // of this process
  std::vector<std::int32_t> first_sample;  // of its places, as numbers of all samples
  std::vector<std::int32_t> of;            // of its samples, as numbers of all places
  Vector shift;
};

// The shift that one machine would choose for all points (kernel/point_shift), bit by bit.
Vector shared_shift(const RowLayout& samples, const SharedMatrix& points);

// `points` has those of this process's samples. Called by all; throws in all.
SharedPlaces shared_places(const Layout& samples, const SharedMatrix& points);

}  // namespace stkr::petsc
