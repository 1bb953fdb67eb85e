#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stkr/matrix.hpp"
#include "stkr/selection/fit_automatic.hpp"
#include "stkr/theory/bounds.hpp"
#include "stkr/theory/fit_estimates.hpp"
#include "stkr/theory/rkhs_norm.hpp"
#include "stkr/theory/spectrum.hpp"

namespace stkr {

// The share of the labels' variance that consecutive eigenvectors of S carry.
struct EnergyBand {
  Index first = 1, last = 1;             // u_first, ..., u_last, counted from 1
  double largest = 0.0, smallest = 0.0;  // λ_first and λ_last
  double share = 0.0;                    // an unbiased estimate, so it may be below 0
  double standard_error = 0.0;           // that n labels leave

  Index count() const { return last - first + 1; }
};

// Where in the spectrum of S the labels are: Σ_{i in band} <u_i, f>²/N over the variance of f, with
// f the labels of all N samples, of which n are known. A smooth function has its energy in the
// first bands, noise has it everywhere.
struct LabelEnergy {
  std::vector<EnergyBand> bands{};  // of 1, 2, 4, 8, ... eigenvectors
  EnergyBand rest{};                // the eigenvectors beyond those computed; count() = 0: none
  double variance = 0.0;            // of the labels, summed over the outputs
  Index labels = 0;                 // n
  std::string unknown{};            // why there is no estimate; empty: there is one
};

// `values`: λ_1 ≥ ... ≥ λ_d; `at_labels`: their orthonormal eigenvectors over `samples` samples, at
// the n labeled ones (n × d); `y`: the labels (n × C), which need not be centered. With P the
// projection on a band and z_i = y_i - mean, the estimate is
//   Σ_i P_ii z_i²/(n-1) + N/(n(n-1)c) Σ_{i≠j} P_ij (z_i z_j + v/n - v/N),   v = Σ z_i²/(n-1),
// whose mean over random sets of labeled samples is the energy up to O(1/n²); v/n - v/N and c = 1 -
// 2(n-1)(N-n)/(n²N) make up for the mean of n labels in place of N. Its standard error is that of
// the jackknife over the labels.
LabelEnergy label_energy(const Vector& values, ConstMatrixRef at_labels, Index samples,
                         ConstMatrixRef y);

// The expected error with some of the labels, or of the unlabeled samples.
struct CurvePoint {
  Index amount = 0;             // labels, or samples in total
  double error = 0.0;           // share of wrong classes, or of the variance of the targets
  double standard_error = 0.0;  // over labels
  Index draws = 1;              // random subsets
};

struct LearningCurve {
  std::vector<CurvePoint> points{};  // by amount, the last with everything there is
  // How much the last doubling reduced the error: the difference of the same labels' errors.
  std::optional<double> gain{};
  double gain_error = 0.0;  // its standard error
  std::string unknown{};    // why there is no curve; empty: there is one
};

// The errors of every label at one point of a curve: a mean over the draws in which it was left
// out.
using LabelErrors = Vector;

// Makes a curve of the errors of the same labels at increasing amounts; the one before the last has
// half of the last amount.
LearningCurve learning_curve(const std::vector<Index>& amounts,
                             const std::vector<LabelErrors>& errors, Index draws);

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
