#pragma once

#include <optional>
#include <variant>

#include "stkr/estimator/average.hpp"
#include "stkr/estimator/stkr.hpp"
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
  // learn_transform and with_learned_transform turn this into a transform before a fit.
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

}  // namespace stkr
