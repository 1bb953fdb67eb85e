#pragma once

#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

// λ₁ and bounds on the spectrum of S, from what the gram knows, or from Lanczos if that is not
// enough.
struct GramSpectrum {
  SpectrumBounds bounds;  // contains the spectrum
  double largest = 0.0;   // λ₁, or the best lower estimate of it
  double smallest = 0.0;
  bool estimated = false;  // by Lanczos
};
GramSpectrum known_spectrum(const GramOperator& gram);
// `only_largest`: the lower bound may be rough.
GramSpectrum estimated_spectrum(const GramOperator& gram, const Context& context = {},
                                bool only_largest = false);

// λ₁ of S, the unit of η: known for graphs and normalized kernels, otherwise computed by Lanczos to
// nine digits. Throws ValueError if it is not positive.
double largest_eigenvalue(const GramOperator& gram, const Context& context = {});

// The eigenvalues of S that reports show, in descending order.
inline constexpr Index kReportedEigenvalues = 20;
std::vector<double> reported_eigenvalues(const GramOperator& gram, const Context& context = {});

}  // namespace stkr
