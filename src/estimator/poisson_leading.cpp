#include "estimator/poisson_leading.hpp"

#include <algorithm>
#include <cmath>

#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr double kKeptEta = 0.99;  // times 1/λ₁

}  // namespace

PoissonLeading::PoissonLeading(const GramOperator& gram, double eta, std::vector<char> kept)
    : space_(gram.known_eigenspace()), kept_(std::move(kept)) {
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

void PoissonLeading::restrict_to_rest(MatrixRef x, int threads) const {
  project_out(*space_, x, threads);
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

Vector poisson_label_weights(const KnownEigenspace& space, std::span<const Index> labeled) {
  std::vector<double> size(static_cast<std::size_t>(space.dimension()), 0.0);
  for (const std::int32_t group : space.groups()) {
    if (group >= 0) size[static_cast<std::size_t>(group)] += 1.0;
  }
  Vector weights = Vector::Ones(static_cast<Index>(labeled.size()));
  for (Index k = 0; k < weights.size(); ++k) {
    const Index sample = labeled[static_cast<std::size_t>(k)];
    const std::int32_t group = space.group(sample);
    const double entry = space.weights()[sample];
    if (group >= 0 && entry > 0.0) {
      weights[k] = 1.0 / (entry * std::sqrt(size[static_cast<std::size_t>(group)]));
    }
  }
  return weights;
}

std::vector<char> groups_of_equal_labels(const KnownEigenspace* space,
                                         std::span<const Index> labeled, ConstMatrixRef y) {
  if (!space) return {};
  std::vector<char> equal(static_cast<std::size_t>(space->dimension()), 1);
  std::vector<Index> first(equal.size(), -1);
  for (std::size_t k = 0; k < labeled.size(); ++k) {
    const std::int32_t group = space->group(labeled[k]);
    if (group < 0) continue;
    const auto row = static_cast<Index>(k);
    if (first[group] < 0) {
      first[group] = row;
    } else if (y.row(row) != y.row(first[group])) {
      equal[group] = 0;
    }
  }
  return equal;
}

}  // namespace stkr
