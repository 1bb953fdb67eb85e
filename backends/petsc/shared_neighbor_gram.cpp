#include "shared_neighbor_gram.hpp"

#include <algorithm>
#include <utility>

#include "gram/cross_kernels.hpp"
#include "gram/neighbor_edges.hpp"
#include "row_fetch.hpp"
#include "shared_model.hpp"

namespace stkr::petsc {
namespace {

using NeighborPoints = SharedNeighborGram::Points;

// Equal points of several processes share a place, which one of them has.
void fetch_elsewhere(NeighborPoints& points) {
  const SharedPlaces& places = points.places;
  std::vector<Index> wanted;
  for (const std::int32_t place : places.of) {
    const Index own = places.layout->local(place);
    points.row.push_back(own >= 0 ? own
                                  : places.layout->count() + static_cast<Index>(wanted.size()));
    if (own < 0) wanted.push_back(place);
  }
  if (!any_over(places.layout.get(), !wanted.empty())) return;
  const Matrix found = RowFetch(*places.layout, wanted)(places.points.cast<double>());
  points.elsewhere = found.cast<float>();
}

std::unique_ptr<SharedNearest> nearest_of(const NeighborPoints& points) {
  // As on one machine: the point that asks comes in the coordinates of the file.
  const auto point = [&points](Index row) -> Eigen::RowVectorXd {
    const Index at = points.row[static_cast<std::size_t>(row)];
    const Index own = points.places.layout->count();
    return at < own ? points.places.points.row(at).cast<double>()
                    : points.elsewhere.row(at - own).cast<double>();
  };
  const auto distance = [&points](const SharedNearest::Point& asking,
                                  const SharedNearest::Point& known) {
    const Eigen::RowVectorXd given = asking + points.places.shift.transpose();
    return (given - points.places.shift.transpose() - known).squaredNorm();
  };
  return std::make_unique<SharedNearest>(points.samples, points.places.points.cols(), point,
                                         distance);
}

class SharedNeighborCrossKernel final : public SharedCrossKernel {
 public:
  SharedNeighborCrossKernel(std::shared_ptr<const NeighborPoints> points,
                            std::unique_ptr<CrossKernel> graph)
      : points_(std::move(points)), graph_(std::move(graph)) {}

  Index known() const override { return graph_->known(); }
  std::optional<Index> features() const override { return points_->places.points.cols(); }
  double self_term() const override { return graph_->self_term(); }
  std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                            std::span<const Index> among) const override {
    return points_->nearest->of_rows(samples, among);
  }

 private:
  // What NeighborCrossKernel::save writes.
  void save_shared(SharedKernelSink& sink) const override {
    const SharedPlaces& places = points_->places;
    save_rule(sink, kDenseNeighbors, points_->options, points_->edges);
    save_vector(sink, "sigma", points_->edges.sigma);
    save_vector(sink, "reach", points_->edges.reach);
    sink.same("shift", 1, places.shift.size(),
              std::span(places.shift.data(), static_cast<std::size_t>(places.shift.size())));
    sink.rows("points", *places.layout, places.points.cols(),
              std::span(places.points.data(), static_cast<std::size_t>(places.points.size())));
    sink.entries("distinct_of", *points_->samples, places.of);
    sink.number("probes", 0.0);  // the search is exact
    sink.part("graph", *graph_);
  }

  std::shared_ptr<const NeighborPoints> points_;
  std::unique_ptr<CrossKernel> graph_;
};

}  // namespace

SharedNeighborGram::SharedNeighborGram(const Layout& samples, SharedNeighborGraph graph,
                                       const NeighborGraphOptions& options,
                                       std::span<const Index> labeled,
                                       const SharedGraphOptions& gram)
    : SharedGraphGram(samples, std::move(graph.weights), gram) {
  auto points = std::make_shared<NeighborPoints>();
  points->samples = samples;
  points->places = std::move(graph.places);
  points->options = {options.k, options.recall};
  points->edges = std::move(graph.edges);
  fetch_elsewhere(*points);
  points->nearest = nearest_of(*points);
  points->nearest->bring(labeled);
  points_ = std::move(points);
}

std::optional<std::vector<Index>> SharedNeighborGram::nearest(std::span<const Index> samples,
                                                              std::span<const Index> among) const {
  return points_->nearest->of_samples(samples, among);
}

std::unique_ptr<CrossKernel> SharedNeighborGram::cross_kernel() const {
  return std::make_unique<SharedNeighborCrossKernel>(points_, SharedGraphGram::cross_kernel());
}

}  // namespace stkr::petsc
