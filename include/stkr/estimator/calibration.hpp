#pragma once

#include <optional>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

// How scores become probabilities, and which classes are plausible: learned from scores of labeled
// samples that did not see their own label, so that no label has to be set aside.
//
// Probabilities are softmax(τ z), where z = g/|g|^¾ for the centered scores g of a sample, or the
// logarithms of the classes' shares of the positive scores if these predict labels left out better.
// Small scores far from all labels are nearly as often right as large ones, hence the power. The
// class with the largest score has the largest probability. τ maximizes the likelihood of the
// labels left out and of half a sample of unknown class, which keeps a few separated labels from
// giving certainty.
struct Calibration {
  bool by_shares = false;
  double temperature = 1.0;          // τ
  std::vector<double> conformity{};  // of each label left out: its probability; ascending

  bool operator==(const Calibration&) const = default;
};

// `left_out`: a row of scores for each labeled sample, from a fit to the labels of the others;
// `classes`: their classes. None if there are fewer than two, or if the scores are all 0.
std::optional<Calibration> calibrate(ConstMatrixRef left_out, const std::vector<Index>& classes);

// One row of probabilities per row of scores.
Matrix calibrated(const Calibration& calibration, ConstMatrixRef scores);

// The largest coverage that n labels can promise: n/(n + 1).
double largest_coverage(const Calibration& calibration);

// Conformal prediction sets: the classes c of each row that labels do not rule out at this
// coverage: (1 + #{i: p_i ≤ p_c})/(n + 1) > 1 - coverage, where p_i are the probabilities of the
// labels left out. If labeled and other samples are drawn alike, sets contain the right class with
// at least this probability, up to the effect of one label on a fit. A set may be empty: no class
// is plausible at this coverage. Throws ParameterError unless 0 < coverage ≤ largest_coverage().
std::vector<std::vector<Index>> prediction_sets(const Calibration& calibration,
                                                ConstMatrixRef probabilities, double coverage);

}  // namespace stkr
