#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stkr/gram/gram_operator.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// How many steps along K > 0 lie between a label and the samples it has a say in.
struct ReachSteps {
  std::vector<int> exactly{};  // the powers of a polynomial s; empty: any number
};
ReachSteps reach_steps(const SpectralTransform& transform);

// Whether a sample has evidence: one rule for fits, models and selection. Where K ≥ 0 that means
// that a path along K > 0 joins it to a label, however small f is there. Kernels with negative
// values have no paths: there |f| must be above a floor that rounding does not reach.
struct Evidence {
  bool by_reach = false;
  std::vector<char> reached{};  // by_reach: of each known sample; empty: all
  std::vector<char> sources{};  // known samples that pass it on to new ones; empty: all
  // What |f| must exceed besides: 0 where K ≥ 0 and f has exact zeros. Below 0 where there is a
  // free constant: f = 0 is an answer like any other then.
  double floor = 0.0;

  // Of the known samples from `first` on, given their f.
  std::vector<char> of_known(Index first, ConstMatrixRef f) const;
  // Of new samples, given f and, by_reach, K(x, ·) times source_column().
  std::vector<char> of_new(ConstMatrixRef f, ConstMatrixRef source_mass) const;
  // 1 for each source, N × 1; nothing where evidence is not by reach.
  Matrix source_column(Index size) const;
};

// `fitted` holds f at the N samples. `first_step` is S times the indicator of the labeled samples
// where it is at hand.
Evidence evidence_of(const GramOperator& gram, std::span<const Index> labeled,
                     const ReachSteps& steps, ConstMatrixRef fitted,
                     const Matrix* first_step = nullptr);

// Below this rounding decides: a small part of the largest |f| at the labeled samples.
double evidence_floor(ConstMatrixRef f_labeled);

// Evidence::floor by reach. Eigenvectors are 0 only to rounding where they do not live; with a free
// constant f = 0 is an answer; otherwise f must be more than 0.
double floor_by_reach(bool eigenvectors, bool constant, double floor);

// The same rule for rows of a transformed kernel at the labels, where there is no gram to ask: a
// label of `labels` (columns) reaches a row whose entry is not 0, if zeros are exact.
std::vector<char> evidence_of_rows(ConstMatrixRef kernel, std::span<const Index> labels,
                                   ConstMatrixRef f, bool exact_zeros, double floor,
                                   double by_reach);

}  // namespace stkr
