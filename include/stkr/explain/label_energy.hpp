#pragma once

#include <string>
#include <vector>

#include "stkr/matrix.hpp"

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

}  // namespace stkr
