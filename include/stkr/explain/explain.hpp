#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stkr/explain/label_energy.hpp"
#include "stkr/explain/learning_curve.hpp"
#include "stkr/selection/fit_automatic.hpp"
#include "stkr/theory/bounds.hpp"
#include "stkr/theory/cross_fit.hpp"
#include "stkr/theory/eigenvalue_decay.hpp"
#include "stkr/theory/kernel_assumptions.hpp"
#include "stkr/theory/rkhs_norm.hpp"
#include "stkr/theory/spectral_density.hpp"

namespace stkr {

struct ExplainOptions {
  Index eigenvectors = 100;   // of S, for the energy of the labels
  Index draws = 4;            // random subsets of unlabeled samples at each point of a curve
  bool curves = true;         // learning curves and the cross-fit estimate, which fit subsets
  Index most_labels = 300;    // others are left out at random: fits need an N × n block
  Index most_samples = 6000;  // of kernels that are not sparse; others are left out at random
  double delta = 0.1;         // the bounds hold with probability 1 - δ
};

// What the kernel is, whatever the labels are.
struct KernelFacts {
  std::string description{};
  Index samples = 0;  // N, of which `analyzed` took part
  Index analyzed = 0;
  std::optional<LabelReach> reach{};  // components; none if the kernel does not know them
  Vector eigenvalues{};  // λ_1 ≥ λ_2 ≥ ...: the leading ones of samples that labels reach
  SpectralDensity density{};
  Definiteness definiteness{};
  KernelBound bound{};      // κ²
  EigenvalueDecay decay{};  // of the λ_i
};

// A transform, and how far it is from the energy of the labels.
struct PlausibleTransform {
  SpectralTransform transform = SpectralTransform::power(1.0);
  double misfit = 0.0;  // χ²
};
struct TransformAdvice {
  std::vector<PlausibleTransform> candidates{};  // best first
  bool agrees = false;                           // the best one expects the labels where they are
  std::string unknown{};                         // why there are none
};

// The names of compared fits.
inline constexpr const char* kSuggestedFit = "suggestion";
inline constexpr const char* kSelectedFit = "full selection";
inline constexpr const char* kGivenFit = "given fit";  // if nothing was left to select
inline constexpr const char* kLabelsAlone = "kernel ridge regression on labels alone";
inline constexpr const char* kNoFit = "no fit";  // the most frequent class, or the mean

// A fit that the advice compares, scored by leaving every label out.
struct ComparedFit {
  std::string name{};
  double error = 0.0;  // as CurvePoint::error
  double standard_error = 0.0;
  // Its error less that of the suggestion, and the standard error of this difference.
  double more = 0.0;
  double more_error = 0.0;
  std::optional<double> hidden_error{};  // on labels that were hidden from all fits
};

// The suggested fit: its kernel is that of the selection, s and the ridge are advice.
struct SuggestedFit {
  SpectralTransform transform = SpectralTransform::power(1.0);
  double ridge = 0.0;                // relative, chosen by leave-one-out
  double beta = 0.0;                 // β_n of the paper, the same ridge
  EigenvalueDecay decay{};           // of s(λ_i), hence p: β_n' = β_n (n/n')^(1/(1+p))
  double effective_dimension = 0.0;  // d(β) of the labels
  double norm_squared = 0.0;         // ‖f̂‖²_{K_s}, of all outputs together
  double mean_square = 0.0;          // ‖f̂‖²_P
  double epsilon() const { return norm_squared / mean_square; }  // of Assumption 3
  double noise = 0.0;                    // σ̂: root mean square of what left-out predictions miss
  double largest_miss = 0.0;             // L̂: the largest of these
  std::vector<Smoothness> smoothness{};  // r_{K^p}(f̂) of the output with the largest variance
  Specification spec{};                  // with nothing open
};

// Everything that can be said about a data set and its labels without new labels.
struct Explanation {
  std::string data{};
  bool classes = false;
  bool graph = false;     // the samples are nodes, which leave with their edges
  Index labels = 0;       // n
  Index labels_used = 0;  // in fits
  KernelFacts kernel{};
  LabelEnergy energy{};
  TransformAdvice advice{};
  std::optional<SuggestedFit> suggestion{};
  std::vector<ComparedFit> compared{};  // suggestion, selection, kernel ridge regression, no fit
  LearningCurve with_labels{}, with_samples{};
  std::vector<Bound> bounds{};
  std::optional<CrossFit> cross_fit{};
  std::vector<TriedAutomatically> tried{};  // kernels, by the selection
  std::optional<Specification> selected{};  // what the selection chose
  std::vector<std::string> verdict{};       // plain sentences, the most important first
  // Parts that could not be computed, and why.
  std::vector<std::pair<std::string, std::string>> missing{};
  std::vector<std::string> notes{};  // what was computed on less than everything
  double seconds = 0.0;
};

// What the theory says about data: whether unlabeled samples help, which transform suits them, how
// large the ridge should be, and whether labels or samples are the better buy. Fits with
// `spec`, which may leave everything open, so that the selection chooses the kernel. A part that
// cannot be computed is listed as missing; it does not end the others. Throws as fit_automatic does
// if there is no kernel at all, and Cancelled.
//
//   const stkr::Explanation found = stkr::explain(dataset);
//   for (const std::string& sentence : found.verdict) std::puts(sentence.c_str());
Explanation explain(const Dataset& dataset, const Specification& spec = {},
                    const ExplainOptions& options = {}, const Context& context = {});

}  // namespace stkr
