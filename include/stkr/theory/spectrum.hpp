#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "stkr/gram/gram_operator.hpp"
#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// A random estimate and its standard error, which is 0 if the value is exact.
struct Estimate {
  double value = 0.0;
  double standard_error = 0.0;
  // Of counts: the largest weight of a node next to the limit. A quadrature does not resolve on
  // which side of the limit the eigenvalues of that node lie, so the count may be off by as much.
  double resolution = 0.0;
};

struct SpectralDensityOptions {
  Index exact_below = 1000;  // up to so many samples, all eigenvalues are computed
  int probes = 10;           // random vectors, at least 2
  int steps = 80;            // of Lanczos; memory does not depend on them
};

// The distribution of the N eigenvalues of S.
struct SpectralDensity {
  Index size = 0;  // N
  bool exact = false;
  // Per probe a quadrature of the distribution: nodes ascending, weights of sum 1. If it is exact,
  // one with all eigenvalues.
  std::vector<Vector> nodes{};
  std::vector<Vector> weights{};

  // Tr φ(S) = Σ_i φ(λ_i)
  Estimate trace(const std::function<double(double)>& phi) const;

  // The number of eigenvalues above λ.
  Estimate count_above(double lambda) const;

  double smallest() const;  // nodes
  double largest() const;
};

// By stochastic Lanczos quadrature: the spectral measure of a random vector is an estimate of the
// density (Ubaru, Chen and Saad 2017). All probes share their products, which depend on
// context.seed only. Throws ParameterError for fewer than two probes or less than one step.
SpectralDensity spectral_density(const LinearOperator& s,
                                 const SpectralDensityOptions& options = {},
                                 const Context& context = {});

struct EigenvalueDecayOptions {
  Index exact_below = 1000;  // up to so many samples, all eigenvalues are used
  Index leading = 100;       // else so many
  double floor = 1e-10;      // s(λ_i) below it, relative to s(λ_1), is rounding
};

// The decay s(λ_i) = O(i^(-1/p)) on which the rates of Theorem 2 depend, from a regression of
// log s(λ_i) on log i. p = 1 holds for every kernel of finite trace.
struct EigenvalueDecay {
  double p = 1.0;  // in (0, 1], as in Theorem 2
  // A 95 % confidence interval of the regression, in [0, 1]. Neighboring eigenvalues are not
  // independent, so it says how well a power law describes them, not more.
  double lower = 0.0, upper = 1.0;
  double fitted = 1.0;      // p before it is capped; infinite for a flat spectrum
  bool capped = false;      // the fitted p is above 1
  bool determined = false;  // false: fewer than three eigenvalues are above the floor, p = 1
  double constant = 0.0;    // c of s(λ_i) ≈ c i^(-1/p), before p is capped
  Index used = 0;           // i = 1, ..., used
  double r_squared = 0.0;   // of the regression
  std::string finding{};    // what to know about p, empty if nothing
};

EigenvalueDecay eigenvalue_decay(const GramOperator& gram, const SpectralTransform& transform,
                                 const EigenvalueDecayOptions& options = {},
                                 const Context& context = {});

// The same for given values, in any order.
EigenvalueDecay decay_of(Vector values, double floor = 1e-10);

// d(β) = Tr G (G + nβ I)⁻¹ of the n × n block G = G_{K̂_s,n} of some samples: how many directions of
// the labels a fit with ridge β follows. Between 0 and n, decreasing in β. Throws ParameterError
// for β ≤ 0, ValueError if G + nβ I is not positive definite.
double effective_dimension(const GramOperator& gram, const SpectralTransform& transform,
                           std::span<const Index> samples, double beta,
                           const Context& context = {});

// The same of all N samples, from the density of S: Σ_i s(λ_i)/(s(λ_i) + β). Not for truncation and
// Poisson, which are not functions of λ: throws ParameterError.
Estimate effective_dimension(const SpectralDensity& density, const SpectralTransform& transform,
                             double beta);

// What the paper assumes of K, measured on the samples.

// K is a Mercer kernel: S has no negative eigenvalue.
struct Definiteness {
  double smallest = 0.0;  // λ_N, of Lanczos if there are many samples
  double largest = 0.0;   // λ₁
  Estimate negative{};    // the share of negative eigenvalues
  bool semidefinite = true;
  std::string remedy{};  // what to do if it is not; empty if it is
};
Definiteness definiteness(const GramOperator& gram, const SpectralDensityOptions& options = {},
                          const Context& context = {});
// The same with a density of the gram that is there already.
Definiteness definiteness(const GramOperator& gram, const SpectralDensity& density,
                          const Context& context = {});

// Assumption 2: K(x, x) ≤ κ². The largest over the samples, a lower bound of the supremum over all
// x.
struct KernelBound {
  double kappa_squared = 0.0;
  Index sample = 0;      // that attains it
  Index samples = 0;     // looked at
  bool complete = true;  // all samples are looked at
};
// Looks at `most` samples drawn at random if there are more; 0: at all.
KernelBound kernel_bound(const GramOperator& gram, Index most = 0, const Context& context = {});

}  // namespace stkr
