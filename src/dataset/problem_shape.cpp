#include <algorithm>
#include <string>
#include <vector>

#include "stkr/dataset/dataset.hpp"

namespace stkr {
namespace {

// Copies: in the data set, in the model, as a JSON tree and as its text.
std::uint64_t name_bytes(const std::vector<std::string>& names) {
  std::uint64_t total = 0;
  for (const std::string& name : names) total += 160 + 4 * name.size();
  return total;
}

void count_features(const Points& points, ProblemShape& shape) {
  shape.features = points.values.cols();
  const auto& sparse = points.values.sparse();
  if (sparse) shape.feature_entries = std::max<Index>(sparse->entries(), 1);
}

std::uint64_t encoding_bytes(const TableEncoding& encoding) {
  constexpr std::uint64_t kColumn = 3 * sizeof(EncodedColumn);  // copies, besides the name
  constexpr std::uint64_t kScale = 64;  // center and scale, as numbers and as text
  std::uint64_t total = static_cast<std::uint64_t>(encoding.scale.size()) * kScale;
  for (const EncodedColumn& column : encoding.columns) {
    total += kColumn + 160 + 4 * column.name.size() + name_bytes(column.levels);
  }
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
  if (shape.kind == DatasetKind::points) count_features(dataset.points(), shape);
  if (shape.kind == DatasetKind::graph) shape.entries = dataset.graph().adjacency.entries();
  if (dataset.features) count_features(*dataset.features, shape);
  if (shape.kind == DatasetKind::points) shape.names += name_bytes(dataset.points().feature_names);
  shape.names += name_bytes(dataset.sample_names());
  if (dataset.encoding) shape.names += encoding_bytes(*dataset.encoding);
  if (dataset.features) shape.names += name_bytes(dataset.features->feature_names);
  count_labels(dataset.labels, shape);
  return shape;
}

}  // namespace stkr
