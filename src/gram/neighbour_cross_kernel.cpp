#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cross_kernels.hpp"
#include "neighbour_edges.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr const char* kWho = "saved neighbour graph";

MatrixF load_points(CrossKernelSource& source, const char* name) {
  auto array = source.array(name);
  auto* points = std::get_if<MatrixF>(&array);
  if (!points) throw DataError(fmt::format("{}: '{}' must be in single precision", kWho, name));
  return std::move(*points);
}

void save_points(CrossKernelSink& sink, const char* name, const MatrixF& points) {
  sink.array(name, points.rows(), points.cols(),
             std::span<const float>(points.data(), points.size()));
}

}  // namespace

NeighbourCrossKernel::NeighbourCrossKernel(NeighbourIndex index, NeighbourEdges edges,
                                           std::unique_ptr<CrossKernel> graph)
    : index_(std::move(index)), edges_(std::move(edges)), graph_(std::move(graph)) {
  if (edges_.sigma.size() != index_.size() || edges_.reach.size() != index_.size() ||
      graph_->known() != index_.size()) {
    throw ShapeError(fmt::format("{}: {} points, but {} scales, {} reaches and {} degrees", kWho,
                                 index_.size(), edges_.sigma.size(), edges_.reach.size(),
                                 graph_->known()));
  }
}

CsrMatrix NeighbourCrossKernel::edges(ConstMatrixRef points) const {
  const bool angles = edges_.weight == EdgeWeight::cosine;
  const Neighbours neighbours = angles ? index_.of(directions(points)) : index_.of(points);
  const Index k = neighbours.k;
  CsrMatrix result{points.rows(), known(), {0}, {}, {}};
  EdgeRow row;
  for (Index i = 0; i < points.rows(); ++i) {
    row.clear();
    const double sigma = local_scale(neighbours, i, edges_.length_scale);
    for (Index r = i * k; r < (i + 1) * k && neighbours.index[r] >= 0; ++r) {
      const std::int32_t j = neighbours.index[r];
      const double distance = neighbours.distance[r];
      if (edges_.rule == EdgeRule::mutual && distance > edges_.reach[j]) continue;
      const double weight = edge_weight(edges_, distance, sigma, edges_.sigma[j]);
      if (weight > 0.0) row.emplace_back(j, weight);
    }
    append_row(row, result);
  }
  return result;
}

Matrix NeighbourCrossKernel::apply(const NewSamples& samples, ConstMatrixRef c) const {
  const char* who = "NeighbourCrossKernel::apply";
  return graph_->apply({edges(expect_matrix(samples, who, "points"))}, c);
}

void NeighbourCrossKernel::save(CrossKernelSink& sink) const {
  sink.text("kind", "neighbours");
  sink.text("weight", to_string(edges_.weight));
  sink.text("rule", to_string(edges_.rule));
  sink.number("k", static_cast<double>(index_.options().k));
  sink.number("wanted_recall", index_.options().recall);
  sink.number("length_scale", edges_.length_scale);
  save_vector(sink, "sigma", edges_.sigma);
  save_vector(sink, "reach", edges_.reach);
  save_vector(sink, "shift", index_.shift());
  save_points(sink, "points", index_.distinct_points());
  sink.indices("distinct_of", index_.distinct_of());
  const NeighbourCells& cells = index_.cells();
  sink.number("probes", static_cast<double>(cells.probes));
  if (cells.probes > 0) {
    sink.number("recall", cells.recall);
    save_points(sink, "centres", cells.centres);
    sink.indices("cells", cells.of);
  }
  sink.part("graph", *graph_);
}

std::unique_ptr<CrossKernel> load_neighbour_cross_kernel(CrossKernelSource& source) {
  NeighbourEdges edges{edge_weight_from_name(source.text("weight")),
                       edge_rule_from_name(source.text("rule")), source.number("length_scale"),
                       load_vector(source, "sigma"), load_vector(source, "reach")};
  if (!(edges.length_scale > 0.0) || !edges.reach.allFinite() || !edges.sigma.allFinite() ||
      !(edges.sigma.array() > 0.0).all()) {
    throw DataError(fmt::format("{}: scales must be finite and positive", kWho));
  }
  NeighbourOptions options;
  options.k = load_count(source, "k");
  options.recall = source.number("wanted_recall");
  options.threads = source.threads();
  NeighbourCells cells;
  cells.probes = load_count(source, "probes");
  if (cells.probes > 0) {
    cells.recall = source.number("recall");
    cells.centres = load_points(source, "centres");
    cells.of = source.indices("cells");
  }
  NeighbourIndex index(load_points(source, "points"), source.indices("distinct_of"),
                       load_vector(source, "shift"), std::move(cells), options, kWho);
  return std::make_unique<NeighbourCrossKernel>(std::move(index), std::move(edges),
                                                source.part("graph"));
}

}  // namespace stkr
