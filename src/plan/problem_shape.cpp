#include <algorithm>
#include <string>
#include <vector>

#include "stkr/plan/plan.hpp"

namespace stkr {
namespace {

// Copies: in the data set, in the model, as a JSON tree and as its text.
std::uint64_t name_bytes(const std::vector<std::string>& names) {
  std::uint64_t total = 0;
  for (const std::string& name : names) total += 160 + 4 * name.size();
  return total;
}

}  // namespace

void count_labels(const Labels& labels, ProblemShape& shape) {
  shape.labeled = static_cast<Index>(labeled_indices(labels).size());
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    shape.outputs = static_cast<Index>(classes->names.size());
  } else if (const auto* targets = std::get_if<TargetValues>(&labels)) {
    shape.outputs = targets->values.cols();
  }
}

ProblemShape shape_of(const Dataset& dataset) {
  ProblemShape shape{.kind = dataset.kind(), .samples = dataset.size()};
  if (shape.kind == DatasetKind::points) shape.features = dataset.points().values.cols();
  if (shape.kind == DatasetKind::graph) shape.entries = dataset.graph().adjacency.entries();
  if (dataset.features) shape.features = dataset.features->cols();
  if (dataset.features && dataset.features->sparse) {
    shape.feature_entries = std::max<Index>(dataset.features->sparse->entries(), 1);
  }
  if (shape.kind == DatasetKind::points) shape.names += name_bytes(dataset.points().feature_names);
  if (shape.kind == DatasetKind::graph) shape.names += name_bytes(dataset.graph().node_names);
  if (dataset.features) shape.names += name_bytes(dataset.features->feature_names);
  count_labels(dataset.labels, shape);
  return shape;
}

}  // namespace stkr
