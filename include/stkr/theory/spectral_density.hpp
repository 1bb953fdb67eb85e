#pragma once

#include <functional>
#include <vector>

#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"

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

}  // namespace stkr
