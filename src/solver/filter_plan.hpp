#pragma once

#include "solver/chebyshev_filter.hpp"
#include "solver/spectrum.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {

// The filter of a search for eigenpairs and how far it amplifies the wanted part of the spectrum.
struct FilterPlan {
  ChebyshevFilter filter;
  int degree = 2;
  Index block = 16;
};

// Columns of a block in a search for so many eigenpairs.
Index lanczos_block(Index count);

// Memory in bytes of top_eigenpairs of an operator of size n, pairs included.
struct EigenpairMemory {
  std::uint64_t most = 0;
  std::uint64_t expected = 0;  // if the first attempt succeeds
};
EigenpairMemory eigenpair_memory(Index n, Index count, Index dense_below);

// Places the cut below the `count` wanted of n eigenvalues, based on the spectral density.
// `surplus` is the fraction of further eigenvalues that pass the filter, `scale` the largest
// |eigenvalue|.
FilterPlan plan_filter(const SpectrumEstimate& spectrum, Index count, Index n, double surplus,
                       double scale, const EigenpairOptions& options);

}  // namespace stkr
