#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "stkr/estimator/decision.hpp"
#include "stkr/estimator/stkr.hpp"
#include "stkr/specification/kernel_spec.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// ρ: nβ in units of the mean diagonal of G_{K̂_s,n}.
struct RelativeRidge {
  double value = kDefaultRidge;
};
// β_n of the paper.
struct PaperBeta {
  double value = 0.0;
};
// None: 0.1 of the mean diagonal for classes, chosen by leave-one-out for regression.
using RidgeSpec = std::variant<std::monostate, RelativeRidge, PaperBeta>;

// Spectrally transformed kernel regression.
struct StkrSpec {
  std::optional<SpectralTransform> transform{};  // s; none: the inverse Laplacian, η = 0.99/λ₁
  // Without a transform or a ridge, fit_automatic chooses them (selection/fit_automatic) unless
  // this is false; fit_model always uses the defaults.
  bool automatic = true;
  // s = Σ a_k s_k with a_k from the labels (selection/learned_transform), instead of `transform`.
  // fit_automatic turns this into a transform before the fit.
  bool learned = false;
  RidgeSpec ridge{};
  std::vector<AverageTerm> average{};  // the weighted sum of several fits, instead of s and a ridge
  StkrSolver solver = StkrSolver::automatic;
  double tolerance = 1e-8;
  int max_iterations = 1000;
  double step_size = 0.0;      // γ of richardson; 0: derived from a bound on the spectrum
  bool literal_top_d = false;  // see StkrOptions
};

// Kernel PCA with a linear probe.
struct KernelPcaSpec {
  std::optional<Index> dimension{};  // d; none: default_dimension
  RidgeSpec ridge{};
  bool all_samples = false;    // compute it from the labeled samples too
  bool literal_top_d = false;  // see StkrOptions
};

struct KernelRidgeSpec {
  RidgeSpec ridge{};
  double tolerance = 1e-8;
  int max_iterations = 1000;
};

struct LabelPropagationSpec {
  std::optional<double> eta{};  // η; none: 0.8/λ₁
  int iterations = 0;           // T; 0: to convergence
  double tolerance = 1e-8;
  int max_iterations = 1000;
};

// What is learned with the kernel.
using MethodSpec = std::variant<StkrSpec, KernelPcaSpec, KernelRidgeSpec, LabelPropagationSpec>;

// The ridge of a method; null if it has none.
const RidgeSpec* ridge_of(const MethodSpec& method);
RidgeSpec* ridge_of(MethodSpec& method);

// Throws ParameterError for a ridge, a tolerance or a step size that is not positive, no
// iterations, or a transform that is both given and learned.
void check_method(const MethodSpec& method);

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
