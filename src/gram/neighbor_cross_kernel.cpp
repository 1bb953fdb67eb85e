#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cross_kernels.hpp"
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
                                         NeighborEdges edges, std::unique_ptr<CrossKernel> graph)
    : index_(std::move(index)), edges_(std::move(edges)), graph_(std::move(graph)) {
  if (edges_.sigma.size() != index_->size() || edges_.reach.size() != index_->size() ||
      graph_->known() != index_->size()) {
    throw ShapeError(fmt::format("{}: {} points, but {} scales, {} reaches and {} degrees",
                                 kCrossKernel, index_->size(), edges_.sigma.size(),
                                 edges_.reach.size(), graph_->known()));
  }
}

Matrix NeighborCrossKernel::searched(ConstMatrixRef points) const {
  return edges_.weight == EdgeWeight::cosine ? directions(points) : Matrix(points);
}

CsrMatrix NeighborCrossKernel::edges(ConstMatrixRef points) const {
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
  Placed(const NeighborCrossKernel& cross, const Matrix& points)
      : cross_(cross),
        points_(points),
        edges_{cross.edges(points)},
        nodes_(cross.graph_->place(edges_)) {}

  Matrix apply(ConstMatrixRef c) const override { return nodes_->apply(c); }
  Matrix apply_scaled(const Vector& scale, ConstMatrixRef c) const override {
    return nodes_->apply_scaled(scale, c);
  }
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
  const Matrix& points_;
  NewSamples edges_;
  std::unique_ptr<PlacedSamples> nodes_;
};

std::unique_ptr<PlacedSamples> NeighborCrossKernel::place(const NewSamples& samples) const {
  return std::make_unique<Placed>(*this,
                                  expect_matrix(samples, "NeighborCrossKernel::place", "points"));
}

std::optional<std::vector<Index>> NeighborCrossKernel::nearest(std::span<const Index> samples,
                                                               std::span<const Index> among) const {
  return nearest_points(*index_, samples, among);
}

void NeighborCrossKernel::save(CrossKernelSink& sink) const {
  sink.text("kind", "neighbours");  // spelled as in older models
  sink.text("weight", to_string(edges_.weight));
  sink.text("rule", to_string(edges_.rule));
  sink.number("k", static_cast<double>(index_->options().k));
  sink.number("wanted_recall", index_->options().recall);
  sink.number("length_scale", edges_.length_scale);
  save_vector(sink, "sigma", edges_.sigma);
  save_vector(sink, "reach", edges_.reach);
  save_vector(sink, "shift", index_->shift());
  save_points(sink, "points", index_->distinct_points());
  sink.indices("distinct_of", index_->distinct_of());
  const NeighborCells& cells = index_->cells();
  sink.number("probes", static_cast<double>(cells.probes));
  if (cells.probes > 0) {
    sink.number("recall", cells.recall);
    save_points(sink, "centres", cells.centers);
    sink.indices("cells", cells.of);
  }
  sink.part("graph", *graph_);
}

std::unique_ptr<CrossKernel> load_neighbor_cross_kernel(CrossKernelSource& source,
                                                        const CrossKernelRegistry& registry) {
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
  auto index = std::make_shared<const NeighborIndex>(
      load_points(source, "points"), source.indices("distinct_of"), load_vector(source, "shift"),
      std::move(cells), options, Context{.threads = source.threads()}, kCrossKernel);
  return std::make_unique<NeighborCrossKernel>(std::move(index), std::move(edges),
                                               load_part(source, registry, "graph"));
}

}  // namespace stkr
