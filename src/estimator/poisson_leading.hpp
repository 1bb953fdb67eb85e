#pragma once

#include <span>
#include <vector>

#include "stkr/gram/gram_operator.hpp"

namespace stkr {

// The Poisson transform at the leading eigenvectors of a gram. It removes those of groups
// (connected components) in which labels differ. A group whose labels are all equal keeps its
// eigenvector, with the weight of η = 0.99: what labels say there is that value, and without it the
// samples far from the labels would get the opposite sign.
class PoissonLeading {
 public:
  // `eta` in units of 1/λ₁; `kept` for each group, empty: none. Throws ValueError if the gram does
  // not know its leading eigenvectors. The gram must outlive this.
  PoissonLeading(const GramOperator& gram, double eta, std::vector<char> kept = {});

  const KnownEigenspace& space() const { return *space_; }
  double eta() const { return eta_; }  // of the rest: λ/(1 - ηλ), absolute

  // Whether the sample (a row of this process) is in a group that keeps only its eigenvector.
  bool keeps(Index sample) const;
  // The same for samples of all processes.
  std::vector<char> keep(std::span<const Index> samples) const;

  // Uᵀ x, summed over processes.
  Matrix coefficients(ConstMatrixRef x, int threads) const;

  // x -= U Uᵀ x, and 0 at these samples: what the rest of the spectrum acts on.
  void restrict_to_rest(MatrixRef x, int threads) const;

  // g and q of TransformedPair, for each group.
  Vector known_factors() const;
  Vector fresh_factors(double self_term) const;

 private:
  Vector factors(double kept, double removed) const;

  const KnownEigenspace* space_;
  const SharedRows* rows_;  // of the gram
  double eta_;
  double weight_;  // s at a kept eigenvector
  std::vector<char> kept_;
};

// The weights of labels with which a large ridge is Poisson learning (Calder, Cook, Thorpe and
// Slepčev 2020): its sources are equal in units of the leading eigenvector, so 1/ψ₁, on walks 1/√d,
// in units of the root mean square of ψ₁ in its group.
Vector poisson_label_weights(const KnownEigenspace& space, std::span<const Index> labeled,
                             const SharedRows* rows = nullptr);

// The groups whose labels are all equal: rows of `y` at `labeled`. Null or no group: empty.
std::vector<char> groups_of_equal_labels(const KnownEigenspace* space,
                                         std::span<const Index> labeled, ConstMatrixRef y,
                                         const SharedRows* rows = nullptr);

// The groups of some samples of all processes: the number of each, which is the same in all of them
// (-1: in no group), its entry in the eigenvector, and the samples of its group.
struct SampleGroups {
  std::vector<Index> group;
  Vector entry;
  Vector size;
};
SampleGroups groups_of_samples(const KnownEigenspace& space, std::span<const Index> samples,
                               const SharedRows* rows);

}  // namespace stkr
