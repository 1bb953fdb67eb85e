#include "shared_statistics.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "gram/graph_scaling.hpp"
#include "halo_matrix.hpp"
#include "linop/shared_order.hpp"
#include "shared_components.hpp"

namespace stkr::petsc {
namespace {

void add_degrees(const SharedGraph& graph, GraphStatistics& result) {
  const RowLayout& layout = *graph.layout;
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  std::vector<double> degrees;
  for (Index i = 0; i < layout.count(); ++i) {
    degrees.push_back(static_cast<double>(graph.rows.row_start[i + 1] - graph.rows.row_start[i]));
  }
  // The smallest of each are negative.
  Matrix ends = Matrix::Constant(1, 4, kNone);
  if (!degrees.empty()) {
    const auto [fewest, most] = std::minmax_element(degrees.begin(), degrees.end());
    ends(0, 0) = -*fewest;
    ends(0, 1) = *most;
  }
  if (!graph.rows.value.empty()) {
    const auto [light, heavy] =
        std::minmax_element(graph.rows.value.begin(), graph.rows.value.end());
    ends(0, 2) = -*light;
    ends(0, 3) = *heavy;
  }
  layout.largest(ends);
  result.smallest_degree = static_cast<Index>(-ends(0, 0));
  result.largest_degree = static_cast<Index>(ends(0, 1));
  result.median_degree = static_cast<Index>(number_at(&layout, degrees, layout.size() / 2).at);
  result.mean_degree = static_cast<double>(graph.entries) / static_cast<double>(layout.size());
  if (graph.entries > 0) {
    result.smallest_weight = -ends(0, 2);
    result.largest_weight = ends(0, 3);
  }
}

void add_components(const SharedGraph& graph, GraphStatistics& result) {
  const RowLayout& layout = *graph.layout;
  const HaloMatrix matrix(graph.layout, graph.rows);
  const KnownEigenspace components = root_degrees(matrix, row_sums(graph.rows));
  // Samples and labels of each component, and of nodes without edges.
  Matrix counts = Matrix::Zero(components.dimension(), 2);
  Matrix alone = Matrix::Zero(1, 2);
  for (Index i = 0; i < layout.count(); ++i) {
    const std::int32_t group = components.group(i);
    auto row = group >= 0 ? counts.row(group) : alone.row(0);
    row(0) += 1.0;
  }
  for (const Index i : labeled_indices(graph.labels)) {
    const std::int32_t group = components.group(i);
    auto row = group >= 0 ? counts.row(group) : alone.row(0);
    row(1) += 1.0;
  }
  layout.sum(counts.topRows(components.shared_groups()));
  layout.sum(alone);
  // Those of several processes are counted by the first one.
  int rank = 0;
  MPI_Comm_rank(layout.comm(), &rank);
  Matrix totals = Matrix::Zero(1, 3);  // components, components without a label, their nodes
  Matrix largest = Matrix::Zero(1, 1);
  for (Index g = 0; g < counts.rows(); ++g) {
    if (counts(g, 0) == 0.0) continue;
    largest(0, 0) = std::max(largest(0, 0), counts(g, 0));
    if (g < components.shared_groups() && rank > 0) continue;
    totals(0, 0) += 1.0;
    if (counts(g, 1) > 0.0) continue;
    totals(0, 1) += 1.0;
    totals(0, 2) += counts(g, 0);
  }
  layout.sum(totals);
  layout.largest(largest);
  result.isolated_nodes = static_cast<Index>(alone(0, 0));
  const auto unlabeled_alone = static_cast<Index>(alone(0, 0) - alone(0, 1));
  result.components = static_cast<Index>(totals(0, 0)) + result.isolated_nodes;
  result.largest_component =
      std::max<Index>(static_cast<Index>(largest(0, 0)), result.isolated_nodes > 0 ? 1 : 0);
  result.components_without_label = static_cast<Index>(totals(0, 1)) + unlabeled_alone;
  result.nodes_without_label = static_cast<Index>(totals(0, 2)) + unlabeled_alone;
}

}  // namespace

GraphStatistics shared_statistics(const SharedGraph& graph) {
  GraphStatistics result;
  result.nodes = graph.layout->size();
  result.entries = graph.entries;
  add_degrees(graph, result);
  add_components(graph, result);
  return result;
}

}  // namespace stkr::petsc
