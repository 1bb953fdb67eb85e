#include "shared_components.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "linop/components.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

// The components among the process's own rows; a row whose nonzero entries are all elsewhere is one
// of its own. -1 for a row without any.
Components own_components(const HaloMatrix& graph) {
  Components found = connected_components(graph.own());
  const CsrMatrix& other = graph.other();
  for (Index i = 0; i < other.rows; ++i) {
    if (found.of[i] >= 0) continue;
    for (auto p = other.row_start[i]; p < other.row_start[i + 1]; ++p) {
      if (other.value[p] == 0.0) continue;
      found.of[i] = found.count++;
      break;
    }
  }
  return found;
}

// The smallest sample of each process's component in the whole graph: smallest labels pass over
// edges between processes until none changes. `crossing` says which components have such edges.
std::vector<double> smallest_samples(const HaloMatrix& graph, const Components& own,
                                     std::vector<char>& crossing) {
  const RowLayout& layout = *graph.layout();
  const CsrMatrix& other = graph.other();
  std::vector<double> smallest(own.count, static_cast<double>(layout.size()));
  for (Index i = 0; i < layout.count(); ++i) {
    if (own.of[i] < 0) continue;
    double& least = smallest[own.of[i]];
    least = std::min(least, static_cast<double>(layout.first() + i));
  }
  crossing.assign(own.count, 0);
  for (bool changed = true; any_over(&layout, changed);) {
    changed = false;
    Matrix labels(layout.count(), 1);
    for (Index i = 0; i < layout.count(); ++i) {
      labels(i, 0) = own.of[i] >= 0 ? smallest[own.of[i]] : 0.0;
    }
    const Matrix beyond = graph.halo_of(labels);
    for (Index i = 0; i < other.rows; ++i) {
      for (auto p = other.row_start[i]; p < other.row_start[i + 1]; ++p) {
        if (other.value[p] == 0.0) continue;
        crossing[own.of[i]] = 1;
        double& least = smallest[own.of[i]];
        if (beyond(other.column[p], 0) >= least) continue;
        least = beyond(other.column[p], 0);
        changed = true;
      }
    }
  }
  return smallest;
}

}  // namespace

KnownEigenspace root_degrees(const HaloMatrix& graph, const Vector& degree) {
  const RowLayout& layout = *graph.layout();
  const Components own = own_components(graph);
  std::vector<char> crossing;
  const std::vector<double> smallest = smallest_samples(graph, own, crossing);

  // Components of several processes first, in the order of their smallest samples.
  std::vector<Index> shared;
  for (std::int32_t k = 0; k < own.count; ++k) {
    if (crossing[k]) shared.push_back(static_cast<Index>(smallest[k]));
  }
  std::sort(shared.begin(), shared.end());
  shared.erase(std::unique(shared.begin(), shared.end()), shared.end());
  shared = layout.joined(shared);
  std::sort(shared.begin(), shared.end());
  shared.erase(std::unique(shared.begin(), shared.end()), shared.end());
  // At least one, without samples if need be: all processes must give a dimension or none.
  const bool any = any_over(&layout, own.count > 0);
  auto groups = static_cast<Index>(shared.size());
  if (any && groups == 0) groups = 1;
  const Index shared_groups = groups;

  // Several own components may be one in the whole graph.
  std::vector<std::int32_t> number(own.count, -1);
  for (std::int32_t k = 0; k < own.count; ++k) {
    if (crossing[k]) {
      const auto at = std::lower_bound(shared.begin(), shared.end(), smallest[k]);
      number[k] = static_cast<std::int32_t>(at - shared.begin());
    } else {
      number[k] = static_cast<std::int32_t>(groups++);
    }
  }
  std::vector<std::int32_t> group(own.of.size(), -1);
  Vector squares = Vector::Zero(groups);
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (own.of[i] < 0) continue;
    group[i] = number[own.of[i]];
    squares[group[i]] += degree[static_cast<Index>(i)];
  }
  Matrix together = squares.head(shared_groups);
  layout.sum(together);
  squares.head(shared_groups) = together;
  Vector weight = Vector::Zero(degree.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto row = static_cast<Index>(i);
    if (group[i] >= 0) weight[row] = std::sqrt(degree[row] / squares[group[i]]);
  }
  return KnownEigenspace::of_shared_rows(1.0, groups, shared_groups, std::move(group),
                                         std::move(weight));
}

}  // namespace stkr::petsc
