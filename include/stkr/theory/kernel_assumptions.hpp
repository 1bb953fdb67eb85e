#pragma once

#include <string>

#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/theory/spectral_density.hpp"

namespace stkr {

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
