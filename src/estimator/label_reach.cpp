#include <algorithm>

#include "stkr/estimator/fit.hpp"

namespace stkr {

Index LabelReach::components_without_label() const {
  return std::count(labeled.begin(), labeled.end(), 0);
}

Index LabelReach::samples_without_label() const {
  Index samples = 0;
  for (std::size_t c = 0; c < size.size(); ++c) samples += labeled[c] ? 0 : size[c];
  return samples;
}

std::optional<LabelReach> label_reach(const GramOperator& gram, std::span<const Index> labeled) {
  if (!gram.knows_components()) return std::nullopt;
  const KnownEigenspace* known = gram.known_eigenspace();
  LabelReach reach;
  reach.component.resize(gram.size());
  std::vector<std::int32_t> number(known->dimension(), -1);
  for (Index i = 0; i < gram.size(); ++i) {
    const std::int32_t group = known->group(i);
    const bool fresh = group < 0 || number[group] < 0;
    const std::int32_t own = fresh ? static_cast<std::int32_t>(reach.size.size()) : number[group];
    if (fresh) reach.size.push_back(0);
    if (group >= 0) number[group] = own;
    reach.component[i] = own;
    ++reach.size[own];
  }
  reach.labeled.assign(reach.size.size(), 0);
  for (const Index i : labeled) reach.labeled[reach.component[i]] = 1;
  return reach;
}

}  // namespace stkr
