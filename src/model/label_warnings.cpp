#include "model/label_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstring>

namespace stkr {
namespace {

// Some order of the rows: 0 if their values are the same.
int compare_rows(const FeatureMatrix& values, Index a, Index b) {
  if (const auto& sparse = values.sparse()) {
    const auto begin = [&](const auto& of, Index i) { return of.begin() + sparse->row_start[i]; };
    const auto columns = std::lexicographical_compare_three_way(
        begin(sparse->column, a), begin(sparse->column, a + 1), begin(sparse->column, b),
        begin(sparse->column, b + 1));
    if (columns != 0) return columns < 0 ? -1 : 1;
    const Index count = sparse->row_start[a + 1] - sparse->row_start[a];
    return std::memcmp(sparse->value.data() + sparse->row_start[a],
                       sparse->value.data() + sparse->row_start[b],
                       sizeof(double) * static_cast<std::size_t>(count));
  }
  const std::span<const std::byte> bytes = values.dense().bytes();
  const std::size_t row = bytes.size() / static_cast<std::size_t>(values.rows());
  return std::memcmp(bytes.data() + row * static_cast<std::size_t>(a),
                     bytes.data() + row * static_cast<std::size_t>(b), row);
}

}  // namespace

std::vector<std::string> label_warnings(const Dataset& dataset) {
  const auto* classes = std::get_if<ClassLabels>(&dataset.labels);
  const auto* points = std::get_if<Points>(&dataset.samples);
  if (!classes || !points) return {};
  return label_warnings(points->values, *classes, {});
}

std::vector<std::string> label_warnings(const FeatureMatrix& points, const ClassLabels& classes,
                                        std::span<const Index> numbers) {
  std::vector<Index> labeled = labeled_indices(classes);
  const auto compare = [&](Index a, Index b) { return compare_rows(points, a, b); };
  const auto number = [&](Index i) {
    return numbers.empty() ? i : numbers[static_cast<std::size_t>(i)];
  };
  std::sort(labeled.begin(), labeled.end(), [&](Index a, Index b) {
    const int order = compare(a, b);
    return order != 0 ? order < 0 : a < b;
  });
  Index conflicts = 0, first = -1, other = -1;
  for (std::size_t k = 1; k < labeled.size(); ++k) {
    const Index a = labeled[k - 1], b = labeled[k];
    if (compare(a, b) != 0 || classes.code[a] == classes.code[b]) continue;
    if (++conflicts == 1) {
      first = a;
      other = b;
    }
  }
  if (conflicts == 0) return {};
  return {fmt::format(
      "{} labeled sample{} equal{} another one of a different class (samples {} and {} are {} and "
      "{}); the ridge decides between them: check these labels",
      conflicts, conflicts == 1 ? "" : "s", conflicts == 1 ? "s" : "", number(first), number(other),
      classes.names[classes.code[first]], classes.names[classes.code[other]])};
}

}  // namespace stkr
