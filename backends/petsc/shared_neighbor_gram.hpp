#pragma once

#include <memory>

#include "shared_graph_gram.hpp"
#include "shared_nearest.hpp"
#include "shared_neighbor_graph.hpp"

namespace stkr::petsc {

// What NeighborGraphGram is on one machine, for points of which every process has some.
class SharedNeighborGram final : public SharedGraphGram {
 public:
  // Lists of `labeled` samples are equal in all processes: the points of these come to all of them.
  SharedNeighborGram(const Layout& samples, SharedNeighborGraph graph,
                     const NeighborGraphOptions& options, std::span<const Index> labeled,
                     const SharedGraphOptions& gram);

  // Called by all processes together, with the same numbers of all samples.
  std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                            std::span<const Index> among) const override;
  // To be saved, and to say which labeled sample is nearest to a row of this process.
  std::unique_ptr<CrossKernel> cross_kernel() const override;

  double length_scale() const { return points_->edges.length_scale; }

  // What the gram shares with its cross kernels.
  struct Points {
    Layout samples;
    SharedPlaces places;
    MatrixF elsewhere;       // points of samples of this process whose places are in others
    std::vector<Index> row;  // of each sample: in places.points, then in `elsewhere`
    NeighborOptions options;
    NeighborEdges edges;
    std::unique_ptr<SharedNearest> nearest;
  };

 private:
  std::shared_ptr<const Points> points_;
};

}  // namespace stkr::petsc
