#include "model/label_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace stkr {

std::vector<std::string> label_warnings(const Dataset& dataset) {
  const auto* classes = std::get_if<ClassLabels>(&dataset.labels);
  const auto* points = std::get_if<Points>(&dataset.samples);
  if (!classes || !points) return {};
  std::vector<Index> labeled = labeled_indices(dataset.labels);
  const std::span<const std::byte> bytes = points->values.bytes();
  const std::size_t row = bytes.size() / static_cast<std::size_t>(points->values.rows());
  const auto compare = [&](Index a, Index b) {
    return std::memcmp(bytes.data() + row * static_cast<std::size_t>(a),
                       bytes.data() + row * static_cast<std::size_t>(b), row);
  };
  std::sort(labeled.begin(), labeled.end(), [&](Index a, Index b) {
    const int order = compare(a, b);
    return order != 0 ? order < 0 : a < b;
  });
  Index conflicts = 0, first = -1, other = -1;
  for (std::size_t k = 1; k < labeled.size(); ++k) {
    const Index a = labeled[k - 1], b = labeled[k];
    if (compare(a, b) != 0 || classes->code[a] == classes->code[b]) continue;
    if (++conflicts == 1) {
      first = a;
      other = b;
    }
  }
  if (conflicts == 0) return {};
  return {fmt::format(
      "{} labeled sample{} equal{} another one of a different class (samples {} and {} are {} and "
      "{}); the ridge decides between them: check these labels",
      conflicts, conflicts == 1 ? "" : "s", conflicts == 1 ? "s" : "", first, other,
      classes->names[classes->code[first]], classes->names[classes->code[other]])};
}

}  // namespace stkr
