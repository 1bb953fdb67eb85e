#include <algorithm>
#include <cmath>

#include "stkr/estimator/fit.hpp"

namespace stkr {

namespace {

// Components that several processes have samples of are counted by one of them, and a label in one
// process labels the component in all.
LabelReach::Totals totals_over(const SharedRows& rows, const KnownEigenspace& known,
                               const std::vector<std::int32_t>& number, LabelReach& reach) {
  const Index shared = known.shared_groups();
  Matrix of_shared = Matrix::Zero(shared, 2);  // samples, and labels
  for (Index g = 0; g < shared; ++g) {
    const std::int32_t own = number[static_cast<std::size_t>(g)];
    if (own < 0) continue;
    of_shared(g, 0) = static_cast<double>(reach.size[own]);
    of_shared(g, 1) = reach.labeled[own];
  }
  const Matrix here = of_shared;
  rows.sum(of_shared);
  Matrix counts = Matrix::Zero(1, 3);
  for (Index g = 0; g < shared; ++g) {
    const std::int32_t own = number[static_cast<std::size_t>(g)];
    if (own < 0) continue;
    // Its samples here stand for the whole component below.
    reach.labeled[own] = of_shared(g, 1) > 0.0;
    const double part = here(g, 0) / of_shared(g, 0);
    counts(0, 0) += part - 1.0;
    if (!reach.labeled[own]) counts(0, 1) += part - 1.0;
  }
  counts(0, 0) += static_cast<double>(reach.size.size());
  counts(0, 1) += static_cast<double>(reach.components_without_label());
  counts(0, 2) += static_cast<double>(reach.samples_without_label());
  rows.sum(counts);
  const auto rounded = [&](Index k) { return static_cast<Index>(std::llround(counts(0, k))); };
  return {rounded(0), rounded(1), rounded(2)};
}

}  // namespace

Index LabelReach::components_without_label() const {
  if (totals) return totals->without_label;
  return std::count(labeled.begin(), labeled.end(), 0);
}

Index LabelReach::samples_without_label() const {
  if (totals) return totals->samples_without_label;
  Index samples = 0;
  for (std::size_t c = 0; c < size.size(); ++c) samples += labeled[c] ? 0 : size[c];
  return samples;
}

std::optional<LabelReach> label_reach(const GramOperator& gram, std::span<const Index> labeled) {
  if (!gram.knows_components()) return std::nullopt;
  const KnownEigenspace* known = gram.known_eigenspace();
  LabelReach reach;
  reach.component.resize(gram.local_size());
  std::vector<std::int32_t> number(known->dimension(), -1);
  for (Index i = 0; i < gram.local_size(); ++i) {
    const std::int32_t group = known->group(i);
    const bool fresh = group < 0 || number[group] < 0;
    const std::int32_t own = fresh ? static_cast<std::int32_t>(reach.size.size()) : number[group];
    if (fresh) reach.size.push_back(0);
    if (group >= 0) number[group] = own;
    reach.component[i] = own;
    ++reach.size[own];
  }
  reach.labeled.assign(reach.size.size(), 0);
  const SharedRows* rows = gram.shared_rows();
  for (const Index i : local_samples(rows, labeled)) reach.labeled[reach.component[i]] = 1;
  if (rows) reach.totals = totals_over(*rows, *known, number, reach);
  return reach;
}

}  // namespace stkr
