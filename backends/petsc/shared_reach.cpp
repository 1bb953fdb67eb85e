#include "shared_reach.hpp"

#include <algorithm>
#include <limits>

namespace stkr::petsc {
namespace {

// The first sample of the component of every row of this process; itself for a sample without
// edges.
std::vector<std::int32_t> first_samples(const KnownEigenspace& known, const RowLayout& layout) {
  Matrix first = Matrix::Constant(known.dimension(), 1, -std::numeric_limits<double>::infinity());
  for (Index i = layout.count() - 1; i >= 0; --i) {
    const std::int32_t group = known.group(i);
    if (group >= 0) first(group, 0) = -static_cast<double>(layout.first() + i);
  }
  layout.largest(first.topRows(known.shared_groups()));
  std::vector<std::int32_t> result;
  for (Index i = 0; i < layout.count(); ++i) {
    const std::int32_t group = known.group(i);
    const double sample = group >= 0 ? -first(group, 0) : static_cast<double>(layout.first() + i);
    result.push_back(static_cast<std::int32_t>(sample));
  }
  return result;
}

}  // namespace

std::optional<LabelReach> whole_reach(const GramOperator& gram, const SharedSamples& samples) {
  if (!gram.knows_components()) return std::nullopt;
  const RowLayout& layout = *samples.layout;
  std::vector<Index> labeled = labeled_indices(samples.labels);
  for (Index& sample : labeled) sample += layout.first();
  labeled = layout.joined(labeled);
  LabelReach reach;
  reach.component =
      gathered(first_samples(*gram.known_eigenspace(), layout), 1, MPI_INT32_T, layout);
  if (reach.component.empty()) return std::nullopt;  // not the first process
  // First samples come before the others, and are numbered already.
  for (std::size_t i = 0; i < reach.component.size(); ++i) {
    const auto first = static_cast<std::size_t>(reach.component[i]);
    if (first == i) {
      reach.component[i] = static_cast<std::int32_t>(reach.size.size());
      reach.size.push_back(0);
    } else {
      reach.component[i] = reach.component[first];
    }
    ++reach.size[static_cast<std::size_t>(reach.component[i])];
  }
  reach.labeled.assign(reach.size.size(), 0);
  for (const Index sample : labeled) {
    reach.labeled[static_cast<std::size_t>(reach.component[static_cast<std::size_t>(sample)])] = 1;
  }
  return reach;
}

}  // namespace stkr::petsc
