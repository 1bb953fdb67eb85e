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

// Places the cut below the `count` wanted of n eigenvalues, based on the spectral density.
// `surplus` is the fraction of further eigenvalues that pass the filter, `scale` the largest
// |eigenvalue|.
FilterPlan plan_filter(const SpectrumEstimate& spectrum, Index count, Index n, double surplus,
                       double scale, const EigenpairOptions& options);

}  // namespace stkr
