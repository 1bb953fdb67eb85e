#include "specification/kernel_cost.hpp"

#include <vector>

#include "specification/kernel_parts.hpp"

namespace stkr {
namespace {

GramCost part_cost(const KernelPart& part, const ProblemShape& shape, const Execution& execution) {
  const PointShape points{shape.samples, shape.features, shape.feature_entries};
  if (const auto* neighbors = part.kernel.get_if<NeighborGraphSpec>()) {
    return neighbor_graph_cost(points, neighbor_count(*neighbors, shape.samples), neighbors->recall,
                               neighbors->components);
  }
  if (const auto* graph = part.kernel.get_if<GraphKernelSpec>()) {
    return graph_gram_cost(shape.samples, shape.entries, graph->self_loops);
  }
  const Index steps = part.kernel.smoothing();
  if (part.factored(shape.feature_entries > 0)) {
    return smoothed_gram_cost(points, shape.entries, steps);
  }
  if (steps > 0) {
    return smoothed_point_gram_cost(points, shape.entries, steps, execution.single_precision,
                                    execution.tiles);
  }
  if (part.kernel.takes_points()) {
    return point_gram_cost(points, execution.single_precision, execution.tiles);
  }
  return dense_gram_cost(shape.samples);
}

void add(const GramCost& more, GramCost& total) {
  total.gram += more.gram;
  total.scratch += more.scratch;
}

}  // namespace

GramCost kernel_cost(const ProblemShape& shape, const Specification& spec,
                     const Execution& execution) {
  std::vector<GramCost> parts;
  for (const KernelPart& part : kernel_parts(shape.kind, spec)) {
    parts.push_back(part_cost(part, shape, execution));
    if (part.kernel.normalized()) add(normalized_gram_cost(shape.samples), parts.back());
  }
  GramCost total = sum_gram_cost(parts);
  if (spec.center) add(centered_gram_cost(shape.samples), total);
  return total;
}

}  // namespace stkr
