#include "dataset/graph_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "linop/components.hpp"
#include "stkr/error.hpp"

namespace stkr {

GraphStatistics graph_statistics(const CsrMatrix& graph, std::span<const Index> labeled) {
  GraphStatistics result;
  result.nodes = graph.rows;
  result.entries = graph.entries();
  if (graph.rows == 0) return result;

  std::vector<Index> degree(graph.rows);
  for (Index i = 0; i < graph.rows; ++i) degree[i] = graph.row_start[i + 1] - graph.row_start[i];
  const auto middle = degree.begin() + graph.rows / 2;
  std::nth_element(degree.begin(), middle, degree.end());
  result.median_degree = *middle;
  const auto [least, most] = std::minmax_element(degree.begin(), degree.end());
  result.smallest_degree = *least;
  result.largest_degree = *most;
  result.mean_degree = static_cast<double>(graph.entries()) / static_cast<double>(graph.rows);
  if (graph.entries() > 0) {
    const auto [light, heavy] = std::minmax_element(graph.value.begin(), graph.value.end());
    result.smallest_weight = *light;
    result.largest_weight = *heavy;
  }

  const Components components = connected_components(graph);
  std::vector<Index> size(components.count, 0);
  std::vector<char> has_label(components.count, 0);
  for (const std::int32_t c : components.of) {
    if (c >= 0) {
      ++size[c];
    } else {
      ++result.isolated_nodes;
    }
  }
  Index labeled_alone = 0;
  for (const Index i : labeled) {
    if (i < 0 || i >= graph.rows) {
      throw ValueError(
          fmt::format("labeled node {} is out of range; expected 0 to {}", i, graph.rows - 1));
    }
    const std::int32_t c = components.of[i];
    if (c >= 0) {
      has_label[c] = 1;
    } else {
      ++labeled_alone;
    }
  }
  result.components = components.count + result.isolated_nodes;
  result.largest_component = result.isolated_nodes > 0 ? 1 : 0;
  result.components_without_label = result.nodes_without_label =
      result.isolated_nodes - labeled_alone;
  for (std::int32_t c = 0; c < components.count; ++c) {
    result.largest_component = std::max(result.largest_component, size[c]);
    if (has_label[c]) continue;
    ++result.components_without_label;
    result.nodes_without_label += size[c];
  }
  return result;
}

}  // namespace stkr
