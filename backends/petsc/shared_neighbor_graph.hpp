#pragma once

#include "shared_places.hpp"
#include "stkr/gram/neighbor_graph.hpp"

namespace stkr::petsc {

// The graph of the k nearest neighbors of points of which every process has some.
struct SharedNeighborGraph {
  CsrMatrix weights;  // the rows of this process, symmetric with those of the others
  SharedPlaces places;
  NeighborEdges edges;  // scale and reach of the samples of this process
};

// The same weights as neighbor_graph, bit by bit, for the exact search in all features. `points`
// are those of this process's samples. Throws as neighbor_graph does, in all processes.
SharedNeighborGraph shared_neighbor_graph(const Layout& samples, const SharedMatrix& points,
                                          const NeighborGraphOptions& options,
                                          const Context& context = {});

}  // namespace stkr::petsc
