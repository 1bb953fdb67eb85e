#pragma once

#include <optional>
#include <vector>

#include "stkr/estimator/decision.hpp"
#include "stkr/specification/kernel_spec.hpp"
#include "stkr/specification/method_spec.hpp"

namespace stkr {

// One more kernel of the same samples: K = Σ_k share_k K_k/λ₁(K_k), so that shares mean the same
// for every kernel. For graph data, a point kernel is a kernel of the node features, as they are or
// smoothed over the graph.
struct AddedKernel {
  KernelSpec kernel{};
  std::optional<double> share{};  // of the sum, 0 to 1; the first kernel gets the rest
};

// The weights of the samples as a distribution, if none are given.
enum class Measure {
  automatic,  // degree for the probability kernel, as its proposition requires
              // (app:proof-inv-lap-connect), else uniform
  uniform,
  degree,  // p_i = D_i/Tr(D)
};

// Of points and their kernel values; sums are always in double.
enum class Precision {
  full,  // double
  single,
  single_if_needed,  // if nothing else fits in memory
};

// Everything that determines a fit: what kernel, what method, and how scores become predictions.
//
//   stkr::Specification spec;
//   spec.kernel = stkr::NeighborGraphSpec{.neighbors = 10};
//   spec.method = stkr::StkrSpec{.transform = stkr::SpectralTransform::power(8)};
//   const stkr::FittedModel fitted = stkr::fit_model(dataset, spec);
struct Specification {
  KernelSpec kernel{};
  std::vector<AddedKernel> added{};
  bool center = false;
  // The weight of each sample, both in the distribution that unlabeled samples represent and among
  // the labels; empty: `measure`.
  Vector sample_weights{};
  Measure measure = Measure::automatic;
  Precision precision = Precision::full;
  MethodSpec method{};
  DecisionOptions decision{};
  Index embedding = 0;       // dimensions of a spectral embedding to return; 0: none
  bool diagnostics = false;  // return leave-one-out predictions and the spectrum, for reports
  // Leave every label out even if the fit does not do so on its way, to calibrate probabilities,
  // prediction sets and intervals; up to 2,000 labels.
  bool leave_one_out = false;
  bool keep_system = false;  // return FittedModel::system, which keeps the gram
};

}  // namespace stkr
