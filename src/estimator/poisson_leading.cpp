#include "estimator/poisson_leading.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr double kKeptEta = 0.99;  // times 1/λ₁

}  // namespace

PoissonLeading::PoissonLeading(const GramOperator& gram, double eta, std::vector<char> kept)
    : space_(gram.known_eigenspace()), rows_(gram.shared_rows()), kept_(std::move(kept)) {
  if (!space_ || space_->dimension() == 0 || !(space_->eigenvalue() > 0.0)) {
    throw ValueError(
        "transform poisson removes the leading eigenvectors, and those of this kernel are not "
        "known; use a neighbor graph, the lazy walk or the symmetric normalization of a graph, or "
        "a degree-normalized kernel, without centering and sample weights");
  }
  const double largest = space_->eigenvalue();
  eta_ = eta / largest;
  weight_ = largest / (1.0 - std::min(eta, kKeptEta));
}

bool PoissonLeading::keeps(Index sample) const {
  const std::int32_t group = space_->group(sample);
  return !kept_.empty() && group >= 0 && kept_[static_cast<std::size_t>(group)];
}

std::vector<char> PoissonLeading::keep(std::span<const Index> samples) const {
  Matrix kept = Matrix::Zero(static_cast<Index>(samples.size()), 1);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Index row = rows_ ? rows_->local(samples[k]) : samples[k];
    if (row >= 0 && keeps(row)) kept(static_cast<Index>(k), 0) = 1.0;
  }
  sum_over(rows_, kept);
  std::vector<char> result;
  for (Index k = 0; k < kept.rows(); ++k) result.push_back(kept(k, 0) > 0.0);
  return result;
}

Matrix PoissonLeading::coefficients(ConstMatrixRef x, int threads) const {
  Matrix result = space_->coefficients(x, threads);
  sum_over(rows_, result.topRows(rows_ ? space_->shared_groups() : 0));
  return result;
}

void PoissonLeading::restrict_to_rest(MatrixRef x, int threads) const {
  space_->add(-coefficients(x, threads), x, threads);
  for (Index i = 0; i < x.rows() && !kept_.empty(); ++i) {
    if (keeps(i)) x.row(i).setZero();
  }
}

Vector PoissonLeading::factors(double kept, double removed) const {
  Vector result = Vector::Constant(space_->dimension(), removed);
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    if (kept_[k]) result[static_cast<Index>(k)] = kept;
  }
  return result;
}

Vector PoissonLeading::known_factors() const {
  return factors(weight_ / space_->eigenvalue(), 0.0);
}

Vector PoissonLeading::fresh_factors(double self_term) const {
  // q = (s - s(δ))/(λ₁ - δ), where s(δ) = 0 in groups that keep only their eigenvector
  const double at_self = self_term / (1.0 - eta_ * self_term);
  const double distance = space_->eigenvalue() - self_term;
  return factors(weight_ / distance, -at_self / distance);
}

SampleGroups groups_of_samples(const KnownEigenspace& space, std::span<const Index> samples,
                               const SharedRows* rows) {
  Matrix size = Matrix::Zero(space.dimension(), 1);
  for (const std::int32_t group : space.groups()) {
    if (group >= 0) size(group, 0) += 1.0;
  }
  if (rows) sum_over(rows, size.topRows(space.shared_groups()));
  // Groups of one process get numbers after those that all share, by its first row.
  const Index shift = rows ? rows->first() : 0;
  Matrix table = Matrix::Zero(static_cast<Index>(samples.size()), 3);  // number + 1, entry, size
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Index row = rows ? rows->local(samples[k]) : samples[k];
    const std::int32_t group = row >= 0 ? space.group(row) : -1;
    if (group < 0) continue;
    const Index number = group < space.shared_groups() ? group : group + shift;
    table.row(static_cast<Index>(k)) << static_cast<double>(number + 1), space.weights()[row],
        size(group, 0);
  }
  sum_over(rows, table);
  SampleGroups result{{}, table.col(1), table.col(2)};
  for (Index k = 0; k < table.rows(); ++k) {
    result.group.push_back(static_cast<Index>(table(k, 0)) - 1);
  }
  return result;
}

Vector poisson_label_weights(const KnownEigenspace& space, std::span<const Index> labeled,
                             const SharedRows* rows) {
  const SampleGroups groups = groups_of_samples(space, labeled, rows);
  Vector weights = Vector::Ones(static_cast<Index>(labeled.size()));
  for (Index k = 0; k < weights.size(); ++k) {
    if (groups.group[static_cast<std::size_t>(k)] >= 0 && groups.entry[k] > 0.0) {
      weights[k] = 1.0 / (groups.entry[k] * std::sqrt(groups.size[k]));
    }
  }
  return weights;
}

std::vector<char> groups_of_equal_labels(const KnownEigenspace* space,
                                         std::span<const Index> labeled, ConstMatrixRef y,
                                         const SharedRows* rows) {
  if (!space) return {};
  const SampleGroups groups = groups_of_samples(*space, labeled, rows);
  std::unordered_map<Index, Index> first;
  std::unordered_set<Index> mixed;
  for (std::size_t k = 0; k < labeled.size(); ++k) {
    const auto row = static_cast<Index>(k);
    const auto [found, fresh] = first.try_emplace(groups.group[k], row);
    if (!fresh && y.row(row) != y.row(found->second)) mixed.insert(groups.group[k]);
  }
  std::vector<char> equal(static_cast<std::size_t>(space->dimension()), 1);
  const Index shift = rows ? rows->first() : 0;
  for (Index group = 0; group < space->dimension(); ++group) {
    const Index number = group < space->shared_groups() ? group : group + shift;
    if (mixed.contains(number)) equal[static_cast<std::size_t>(group)] = 0;
  }
  return equal;
}

}  // namespace stkr
