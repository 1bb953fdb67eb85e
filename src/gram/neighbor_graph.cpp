#include "stkr/gram/neighbor_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gram/gram_cost.hpp"
#include "kernel/principal_axes.hpp"
#include "kernel/sparse_points.hpp"
#include "linop/saved_state.hpp"
#include "neighbor_edges.hpp"
#include "neighbor_rounding.hpp"
#include "runtime/byte_count.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr const char* kWho = "neighbor graph";

std::shared_ptr<const PrincipalAxes> axes_for(const FeatureMatrix& points,
                                              const NeighborGraphOptions& options,
                                              const Context& context) {
  if (options.components == 0 || options.components == points.cols()) return nullptr;
  if (points.sparse()) {
    throw ValueError(fmt::format("{}: principal components need dense points", kWho));
  }
  return std::make_shared<const PrincipalAxes>(
      PrincipalAxes::of(points.dense(), options.components, context, kWho));
}

Neighbors found_neighbors(const NeighborIndex& index, const Context& context) {
  SavedState* saved = context.saved;
  if (saved == nullptr) return index.among_themselves(context.progress);
  Neighbors found;
  const std::vector<Matrix> blocks = saved_or(saved, "neighbors", [&] {
    found = index.among_themselves(context.progress);
    Matrix indices(found.count, found.k), distances(found.count, found.k);
    std::copy(found.index.begin(), found.index.end(), indices.data());
    std::copy(found.distance.begin(), found.distance.end(), distances.data());
    return std::vector<Matrix>{std::move(indices), std::move(distances)};
  });
  if (found.count > 0) return found;
  found = {blocks[0].rows(), blocks[0].cols(), {}, {}};
  for (const double i : blocks[0].reshaped<Eigen::RowMajor>()) {
    found.index.push_back(static_cast<std::int32_t>(i));
  }
  found.distance.assign(blocks[1].data(), blocks[1].data() + blocks[1].size());
  return found;
}

// Keeps only entries whose mirror image is also present.
CsrMatrix mutual_edges(const CsrMatrix& edges) {
  CsrMatrix result{edges.rows, edges.cols, {0}, {}, {}};
  for (Index i = 0; i < edges.rows; ++i) {
    for (std::int64_t p = edges.row_start[i]; p < edges.row_start[i + 1]; ++p) {
      const std::int32_t j = edges.column[p];
      if (std::binary_search(edges.column.begin() + edges.row_start[j],
                             edges.column.begin() + edges.row_start[j + 1],
                             static_cast<std::int32_t>(i))) {
        result.column.push_back(j);
        result.value.push_back(edges.value[p]);
      }
    }
    result.row_start.push_back(static_cast<std::int64_t>(result.column.size()));
  }
  return result;
}

GraphGramOptions graph_options(const NeighborGraphOptions& options, const Context& context) {
  return {
      .normalization = options.normalization, .threads = context.threads, .device = context.device};
}

}  // namespace

NeighborGraph neighbor_graph(const FeatureMatrix& points, const NeighborGraphOptions& options,
                             const Context& context) {
  auto axes = axes_for(points, options, context);
  const FeatureMatrix searched =
      searched_points(points, axes.get(), options.weight, context.threads);
  NeighborIndex index(searched, {options.k, options.recall}, context, kWho);
  const Neighbors neighbors = found_neighbors(index, context);
  // Sparse points are searched in double precision.
  if (!index.sparse()) check_neighbor_rounding(searched.dense(), index, neighbors, kWho);
  NeighborEdges edges = measure_edges(neighbors, options);
  const CsrMatrix directed =
      directed_edges(neighbors, edges, 0, neighbors.count, [&](Index i) { return edges.sigma[i]; });
  return {options.rule == EdgeRule::mutual ? mutual_edges(directed) : symmetrized(directed),
          std::move(index), std::move(edges), std::move(axes)};
}

NeighborGraphGram::NeighborGraphGram(const FeatureMatrix& points,
                                     const NeighborGraphOptions& options, const Context& context)
    : NeighborGraphGram(neighbor_graph(points, options, context), options, context) {}

NeighborGraphGram::NeighborGraphGram(NeighborGraph graph, const NeighborGraphOptions& options,
                                     const Context& context)
    : GraphGram(std::move(graph.weights), graph_options(options, context)),
      index_(std::make_shared<const NeighborIndex>(std::move(graph.index))),
      edges_(std::move(graph.edges)),
      axes_(std::move(graph.axes)) {}

Index NeighborGraphGram::components() const { return axes_ ? axes_->components() : 0; }

std::optional<std::vector<Index>> NeighborGraphGram::nearest(std::span<const Index> samples,
                                                             std::span<const Index> among) const {
  return nearest_points(*index_, samples, among);
}

std::unique_ptr<CrossKernel> NeighborGraphGram::cross_kernel() const {
  return std::make_unique<NeighborCrossKernel>(index_, edges_, GraphGram::cross_kernel(), axes_);
}

GramCost neighbor_graph_cost(const PointShape& points, Index neighbors, double recall,
                             Index components) {
  const Index samples = points.samples;
  const bool projected = components > 0 && components < points.features;
  const Index searched = projected ? components : points.features;
  const Index values = samples * searched, found = samples * neighbors;
  const Index entries = 2 * found;  // if no neighbor is mutual
  GramCost cost{.entries = entries};
  cost.samples =
      (points.entries > 0 ? sparse_point_bytes(samples, points.entries) : byte_count(values, 4.0)) +
      byte_count(samples, 32.0);
  cost.gram = byte_count(entries, 12.0) + byte_count(samples, 72.0);
  // Candidates and neighbors; then neighbors and the directed graph beside the symmetric graph.
  std::uint64_t searching = byte_count(found, 20.0) + byte_count(samples, 72.0);
  const std::uint64_t joining = byte_count(found, 40.0);
  // The points as read stay in memory throughout.
  std::uint64_t read = byte_count(samples * points.features, 8.0);
  if (points.entries > 0) {
    read = 2 * sparse_point_bytes(samples, points.entries);
    searching += feature_list_bytes(points.entries);
  } else if (recall < 1.0) {
    cost.samples += byte_count(samples, 4.0);  // the cell of each point
    searching += cell_search_bytes(samples, searched);
  }
  if (projected) read += byte_count(values, 8.0) + principal_axes_bytes(samples, points.features);
  cost.preparing = read + byte_count(samples, 80.0) +
                   std::max(joining, searching - std::min(searching, cost.gram));
  // Exact: each pair once. Otherwise some cells of √N points, about as many as it takes to find
  // them.
  const auto n = static_cast<double>(samples);
  cost.pairs = recall < 1.0 ? std::min(0.5 * n * n, 12.0 * n * std::sqrt(n)) : 0.5 * n * n;
  return cost;
}

}  // namespace stkr
