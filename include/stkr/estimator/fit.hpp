#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stkr/estimator/evidence.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/solver/summary.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// The default ridge ρ, relative to the mean diagonal of G_{K̂_s,n} (estimator/ridge_unit).
inline constexpr double kDefaultRidge = 0.1;

// What a fit did, and how accurate it is.
struct FitSummary {
  std::string method;     // "stkr", "kernel-pca", "kernel-ridge", "label-propagation"
  std::string transform;  // SpectralTransform::describe(), if the method has one
  SolveSummary solve;
  SpectrumBounds spectrum;                    // of S, as far as needed
  std::optional<TransformValidity> validity;  // Theorem 1 on that spectrum
  std::optional<double> approximation_error;  // sup-norm error of s, if s is approximated
  // Bound on the relative error that this causes in f; it grows as the ridge shrinks.
  std::optional<double> answer_error;
  double beta = 0.0;          // the paper's β_n as used; 0 if the method has none
  double ridge = 0.0;         // the same in units of the mean diagonal of G_{K̂_s,n}
  bool ridge_chosen = false;  // chosen by leave-one-out
  std::vector<std::string> warnings;
  long products = 0;  // block products with S, in total
  double seconds = 0.0;
};

// Fits with one transform and several ridges, each with its weight in an average.
struct AverageTerm {
  struct Part {
    double ridge = kDefaultRidge;  // ρ > 0, relative
    double weight = 1.0;           // > 0
  };
  SpectralTransform transform;  // s
  std::vector<Part> parts{};
  // Σ weight·α over the parts (not divided), n × C, if they are solved already for the same labels;
  // empty: the fit solves them.
  Matrix alpha{};
  // Σ weight·f_{-i}(x_i) likewise (see leave_one_out in estimator/average); empty: not known.
  Matrix left_out{};
};

// ψ_1, ..., ψ_d: the leading eigenfunctions of K, with mean square 1 over the training samples. At
// a new sample, ψ_k(x) = Σ_i K(x, x_i) b_ik.
struct SpectralEmbedding {
  Vector eigenvalues;   // λ_1 ≥ ... ≥ λ_d > 0
  Matrix values;        // ψ at the known samples: N × d
  Matrix coefficients;  // b: N × d
};

// Every method produces the same c: f(x) = b + Σ_i K(x, x_i) c_i for new samples x.
struct Fit {
  Matrix alpha;         // α̂: n × C, for methods that have one
  Matrix coefficients;  // c: N × C
  Matrix fitted;        // f̂ - b at the N samples: N × C
  Vector constant;      // b: C values; empty: none
  Evidence evidence;
  FitSummary summary;
  std::optional<SpectralEmbedding> embedding{};  // if supported and requested
  Matrix left_out{};  // leave_one_out (estimator/average), if supported and requested; else empty
  // What was solved, if it has this form and the gram has no weights: one term for a single fit.
  std::vector<AverageTerm> terms{};
};

// Throws ValueError if kernel values are so small or so large that their squares underflow or
// overflow, which would make norms and predictions wrong. Checks a few samples.
void check_scale(const GramOperator& gram);

// Throws ValueError or ShapeError unless `labeled` lists distinct samples of the gram, at least
// one, and y has a finite row for each. Also calls check_scale.
void check_labeled(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y);

// The samples not in `labeled`, in order. Throws ValueError if an index is out of range.
std::vector<Index> unlabeled_samples(Index size, std::span<const Index> labeled);

}  // namespace stkr
