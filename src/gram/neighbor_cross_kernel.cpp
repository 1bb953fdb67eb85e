#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cross_kernels.hpp"
#include "kernel/principal_axes.hpp"
#include "neighbor_edges.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr const char* kCrossKernel = "saved neighbor graph";

MatrixF load_points(CrossKernelSource& source, const char* name) {
  auto array = source.array(name);
  auto* points = std::get_if<MatrixF>(&array);
  if (!points)
    throw DataError(fmt::format("{}: '{}' must be in single precision", kCrossKernel, name));
  return std::move(*points);
}

void save_points(CrossKernelSink& sink, const char* name, const MatrixF& points) {
  sink.array(name, points.rows(), points.cols(),
             std::span<const float>(points.data(), points.size()));
}

}  // namespace

NeighborCrossKernel::NeighborCrossKernel(std::shared_ptr<const NeighborIndex> index,
                                         NeighborEdges edges, std::unique_ptr<CrossKernel> graph,
                                         std::shared_ptr<const PrincipalAxes> axes)
    : index_(std::move(index)),
      edges_(std::move(edges)),
      graph_(std::move(graph)),
      axes_(std::move(axes)) {
  if (edges_.sigma.size() != index_->size() || edges_.reach.size() != index_->size() ||
      graph_->known() != index_->size()) {
    throw ShapeError(fmt::format("{}: {} points, but {} scales, {} reaches and {} degrees",
                                 kCrossKernel, index_->size(), edges_.sigma.size(),
                                 edges_.reach.size(), graph_->known()));
  }
  if (axes_ && axes_->components() != index_->features()) {
    throw ShapeError(fmt::format("{}: {} principal components, but points with {} coordinates",
                                 kCrossKernel, axes_->components(), index_->features()));
  }
  if (index_->sparse()) counts_ = row_counts(index_->sparse_points());
}

std::optional<Index> NeighborCrossKernel::features() const {
  if (axes_) return axes_->features();
  // Sparse directions have one more.
  const bool added = index_->sparse() && edges_.weight == EdgeWeight::cosine;
  return index_->features() - (added ? 1 : 0);
}

FeatureMatrix NeighborCrossKernel::searched(const FeatureMatrix& points) const {
  if (points.cols() != *features()) {
    throw ShapeError(fmt::format("{}: the new points have {} features but the known ones have {}",
                                 kCrossKernel, points.cols(), *features()));
  }
  if (points.sparse()) check_csr(*points.sparse(), kCrossKernel);
  FeatureMatrix same = points;
  if (index_->sparse() && !points.sparse()) same = sparse_of(points.matrix());
  if (!index_->sparse() && points.sparse()) same = points.matrix();
  return searched_points(same, axes_.get(), edges_.weight, /*threads=*/1);
}

CsrMatrix NeighborCrossKernel::edges(const FeatureMatrix& points) const {
  const Surroundings found = index_->of(searched(points), edges_.reach);
  const Neighbors& neighbors = found.nearest;
  const ReachedBy& reached_by = found.reached_by;
  const Index k = neighbors.k;
  CsrMatrix result{points.rows(), known(), {0}, {}, {}};
  EdgeRow row;
  std::vector<std::pair<std::int32_t, double>> ends;  // a known point and its distance
  for (Index i = 0; i < points.rows(); ++i) {
    row.clear();
    ends.clear();
    for (Index r = i * k; r < (i + 1) * k && neighbors.index[r] >= 0; ++r) {
      const std::int32_t j = neighbors.index[r];
      const double distance = neighbors.distance[r];
      if (edges_.rule == EdgeRule::mutual && distance > edges_.reach[j]) continue;
      ends.emplace_back(j, distance);
    }
    if (edges_.rule == EdgeRule::either) {
      for (std::int64_t p = reached_by.row_start[i]; p < reached_by.row_start[i + 1]; ++p) {
        ends.emplace_back(reached_by.index[p], reached_by.distance[p]);
      }
      std::sort(ends.begin(), ends.end());
      ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    }
    const double sigma = local_scale(neighbors, i, edges_.length_scale);
    for (const auto& [j, distance] : ends) {
      const double weight = edge_weight(edges_, distance, sigma, edges_.sigma[j]);
      if (weight > 0.0) row.emplace_back(j, weight);
    }
    append_row(row, result);
  }
  return result;
}

// New points with their edges.
class NeighborCrossKernel::Placed final : public PlacedSamples {
 public:
  Placed(const NeighborCrossKernel& cross, FeatureMatrix points)
      : cross_(cross),
        points_(std::move(points)),
        edges_{cross.edges(points_)},
        nodes_(cross.graph_->place(edges_)) {}

  Matrix apply(ConstMatrixRef c) const override { return nodes_->apply(c); }
  Matrix apply_scaled(const Vector& scale, ConstMatrixRef c) const override {
    return nodes_->apply_scaled(scale, c);
  }
  std::optional<Matrix> rows() const override { return nodes_->rows(); }
  std::optional<Matrix> among() const override { return nodes_->among(); }
  std::optional<Vector> diagonal() const override { return nodes_->diagonal(); }
  bool sparse() const override { return true; }
  std::optional<Twins> twins() const override {
    const std::vector<std::int32_t> places = cross_.index_->place_of(cross_.searched(points_));
    Twins result;
    for (const std::int32_t place : places) {
      if (place >= 0) {
        const auto samples = cross_.index_->samples_at(place);
        result.sample.insert(result.sample.end(), samples.begin(), samples.end());
      }
      result.row_start.push_back(static_cast<std::int64_t>(result.sample.size()));
    }
    return result;
  }
  std::optional<std::vector<Index>> nearest(std::span<const Index> among) const override {
    return nearest_points(*cross_.index_, cross_.searched(points_), among);
  }

 private:
  const NeighborCrossKernel& cross_;
  FeatureMatrix points_;
  NewSamples edges_;
  std::unique_ptr<PlacedSamples> nodes_;
};

std::unique_ptr<PlacedSamples> NeighborCrossKernel::place(const NewSamples& samples) const {
  return std::make_unique<Placed>(*this, expect_points(samples, "new points"));
}

std::optional<std::vector<Index>> NeighborCrossKernel::nearest(std::span<const Index> samples,
                                                               std::span<const Index> among) const {
  return nearest_points(*index_, samples, among);
}

void NeighborCrossKernel::save(CrossKernelSink& sink) const {
  save_rule(sink,
            axes_              ? "neighbors in principal components"
            : index_->sparse() ? "sparse_neighbors"
                               : kDenseNeighbors,
            index_->options(), edges_);
  save_vector(sink, "sigma", edges_.sigma);
  save_vector(sink, "reach", edges_.reach);
  if (index_->sparse()) {
    save_csr(sink, "points", index_->sparse_points(), counts_);
  } else {
    save_vector(sink, "shift", index_->shift());
    save_points(sink, "points", index_->distinct_points());
  }
  sink.indices("distinct_of", index_->distinct_of());
  const NeighborCells& cells = index_->cells();
  sink.number("probes", static_cast<double>(cells.probes));
  if (cells.probes > 0) {
    sink.number("recall", cells.recall);
    save_points(sink, "centres", cells.centers);
    sink.indices("cells", cells.of);
  }
  if (axes_) {
    save_vector(sink, "mean", axes_->mean());
    sink.array("axes", axes_->features(), axes_->components(),
               std::span<const double>(axes_->axes().data(), axes_->axes().size()));
  }
  sink.part("graph", *graph_);
}

namespace {

std::shared_ptr<const PrincipalAxes> load_axes(CrossKernelSource& source) {
  Vector mean = load_vector(source, "mean");
  auto array = source.array("axes");
  auto* axes = std::get_if<Matrix>(&array);
  if (!axes || !axes->allFinite() || !mean.allFinite()) {
    throw DataError(fmt::format("{}: axes must be finite and in double precision", kCrossKernel));
  }
  return std::make_shared<const PrincipalAxes>(std::move(mean), std::move(*axes));
}

std::unique_ptr<CrossKernel> load_neighbors(CrossKernelSource& source,
                                            const CrossKernelRegistry& registry,
                                            std::shared_ptr<const PrincipalAxes> axes) {
  NeighborEdges edges{edge_weight_from_name(source.text("weight")),
                      edge_rule_from_name(source.text("rule")), source.number("length_scale"),
                      load_vector(source, "sigma"), load_vector(source, "reach")};
  if (!(edges.length_scale > 0.0) || !edges.reach.allFinite() || !edges.sigma.allFinite() ||
      !(edges.sigma.array() > 0.0).all() || !(edges.reach.array() >= 0.0).all()) {
    throw DataError(fmt::format("{}: scales must be finite and positive", kCrossKernel));
  }
  NeighborOptions options;
  options.k = load_count(source, "k");
  options.recall = source.number("wanted_recall");
  NeighborCells cells;
  cells.probes = load_count(source, "probes");
  if (cells.probes > 0) {
    cells.recall = source.number("recall");
    cells.centers = load_points(source, "centres");
    cells.of = source.indices("cells");
  }
  std::variant<MatrixF, CsrMatrix> points;
  Vector shift;
  if (source.text("kind") == "sparse_neighbors") {
    points = load_csr(source, "points");
  } else {
    points = load_points(source, "points");
    shift = load_vector(source, "shift");
  }
  auto index = std::make_shared<const NeighborIndex>(
      std::move(points), source.indices("distinct_of"), std::move(shift), std::move(cells), options,
      Context{.threads = source.threads(), .device = source.device()}, kCrossKernel);
  return std::make_unique<NeighborCrossKernel>(
      std::move(index), std::move(edges), load_part(source, registry, "graph"), std::move(axes));
}

}  // namespace

std::unique_ptr<CrossKernel> load_neighbor_cross_kernel(CrossKernelSource& source,
                                                        const CrossKernelRegistry& registry) {
  return load_neighbors(source, registry, nullptr);
}

std::unique_ptr<CrossKernel> load_projected_neighbor_cross_kernel(
    CrossKernelSource& source, const CrossKernelRegistry& registry) {
  return load_neighbors(source, registry, load_axes(source));
}

}  // namespace stkr
