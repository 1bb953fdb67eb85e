#pragma once

#include <vector>

#include "shared_places.hpp"
#include "stkr/kernel/nearest_neighbors.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr::petsc {

// The nearest neighbors of the samples of this process, the same as NeighborIndex finds on one
// machine; neighbors are numbers of all samples.
struct SharedNeighbors {
  Neighbors of_samples;
  // Of the places of these samples: those of this process, then those of earlier processes.
  Neighbors of_places;
  std::vector<Index> row;                  // of each sample in of_places
  std::vector<std::int32_t> first_sample;  // of each row of of_places
  std::vector<Index> copies;               // the other samples at the place
};

// The exact search. Blocks of points pass around the processes, and every pair of points is
// compared once, in single precision: both sides keep the nearest as candidates. Distances in
// double precision decide in a second round; rows whose candidates cannot be proven complete are
// searched again in double precision. Called by all; throws in all, and Cancelled if asked for in
// any.
SharedNeighbors shared_neighbors(const SharedPlaces& places, Index k, const Context& context);

}  // namespace stkr::petsc
