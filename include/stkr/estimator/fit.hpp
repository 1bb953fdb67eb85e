#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stkr/estimator/embedding.hpp"
#include "stkr/estimator/evidence.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/solver/summary.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// What a fit did and how far it can be trusted.
struct FitSummary {
  std::string method;     // "stkr", "kernel-pca", "kernel-ridge", "label-propagation"
  std::string transform;  // SpectralTransform::describe(), where there is one
  SolveSummary solve;
  SpectrumBounds spectrum;                    // of S, as far as it was needed
  std::optional<TransformValidity> validity;  // Theorem 1 on that spectrum
  std::optional<double> approximation_error;  // sup-norm error of s, where s was approximated
  // What that error can do to f, relative: it acts on f through the ridge.
  std::optional<double> answer_error;
  double beta = 0.0;          // β_n of the paper that was used; 0 where there is none
  double ridge = 0.0;         // the same in units of the mean diagonal of G_{K̂_s,n}
  bool ridge_chosen = false;  // by leave-one-out
  std::vector<std::string> warnings;
  long products = 0;  // block products with S, all told
  double seconds = 0.0;
};

// Every method ends in the same c: f(x) = b + Σ_i K(x, x_i) c_i for new samples x.
struct Fit {
  Matrix alpha;         // α̂: n × C, for the methods that have one
  Matrix coefficients;  // c: N × C
  Matrix fitted;        // f̂ - b at the N samples: N × C
  Vector constant;      // b: C values, or empty for none
  Evidence evidence;
  FitSummary summary;
  std::optional<SpectralEmbedding> embedding{};  // where the method has one and it was asked for
};

// Throws ValueError where the values of a kernel are so small or so large that their squares are
// not numbers any more: norms and with them every answer would be wrong. Looks at a few samples.
void check_scale(const GramOperator& gram);

// Throws ValueError or ShapeError unless `labeled` lists distinct samples of the gram, at least
// one, and y has a finite row for each; and as check_scale does.
void check_labeled(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y);

// The samples that are not in `labeled`, in order. Throws ValueError where an index is no sample.
std::vector<Index> unlabeled_samples(Index size, std::span<const Index> labeled);

}  // namespace stkr
