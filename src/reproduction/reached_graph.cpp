#include "stkr/reproduction/reached_graph.hpp"

#include <numeric>

#include "stkr/dataset/splits.hpp"
#include "stkr/linop/components.hpp"
#include "stkr/selection/split_problem.hpp"

namespace stkr {
namespace {

// For each node whether it is seen at training time without a path to a training sample.
std::vector<char> unreached_nodes(const CsrMatrix& graph, const FourWaySplit& split,
                                  Setting setting) {
  std::vector<Index> seen(static_cast<std::size_t>(graph.rows));
  std::iota(seen.begin(), seen.end(), Index{0});
  if (setting == Setting::inductive) seen = visible_samples(split);
  const Components components = connected_components(induced_subgraph(graph, seen));
  std::vector<char> trained(static_cast<std::size_t>(graph.rows), 0);
  for (const Index i : split.train) trained[i] = 1;
  std::vector<char> reached(static_cast<std::size_t>(components.count), 0);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    if (trained[seen[k]] && components.of[k] >= 0) reached[components.of[k]] = 1;
  }
  std::vector<char> unreached(static_cast<std::size_t>(graph.rows), 0);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    unreached[seen[k]] = components.of[k] >= 0 && !reached[components.of[k]];
  }
  return unreached;
}

}  // namespace

Dataset reached_graph(const Dataset& dataset, const FourWaySplit& split, Setting setting) {
  Dataset result = dataset;
  CsrMatrix& kept = std::get<Graph>(result.samples).adjacency;
  const CsrMatrix& graph = dataset.graph().adjacency;
  const std::vector<char> unreached = unreached_nodes(graph, split, setting);
  kept.row_start.assign(1, 0);
  kept.column.clear();
  kept.value.clear();
  for (Index i = 0; i < graph.rows; ++i) {
    for (std::int64_t k = graph.row_start[i]; k < graph.row_start[i + 1]; ++k) {
      // A new sample keeps its edges: they count in its degree.
      if (unreached[i] && unreached[graph.column[k]]) continue;
      kept.column.push_back(graph.column[k]);
      kept.value.push_back(graph.value[k]);
    }
    kept.row_start.push_back(static_cast<std::int64_t>(kept.column.size()));
  }
  return result;
}

}  // namespace stkr
