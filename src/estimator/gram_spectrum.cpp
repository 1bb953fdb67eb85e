#include "estimator/gram_spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "solver/spectrum.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {

GramSpectrum known_spectrum(const GramOperator& gram) {
  GramSpectrum result;
  result.bounds = gram.bounds();
  result.largest = result.bounds.upper;
  result.smallest = result.bounds.lower;
  return result;
}

GramSpectrum estimated_spectrum(const GramOperator& gram, const Context& context,
                                bool only_largest) {
  const SpectrumEstimate estimate = estimate_spectrum(
      gram, {.tolerance = only_largest ? 1e-9 : 1e-8, .only_largest = only_largest}, context);
  const SpectrumBounds known = gram.bounds();
  GramSpectrum result;
  result.bounds = {std::max(known.lower, estimate.bounds.lower),
                   std::min(known.upper, estimate.bounds.upper)};
  result.largest = estimate.largest;
  result.smallest = estimate.smallest;
  result.estimated = true;
  // A known eigenvector at the upper bound is the top of the spectrum, whatever Lanczos found.
  const KnownEigenspace* space = gram.known_eigenspace();
  if (space && space->dimension() > 0 && space->eigenvalue() > result.largest) {
    result.largest = space->eigenvalue();
    result.bounds.upper = std::max(result.bounds.upper, result.largest);
  }
  return result;
}

double largest_eigenvalue(const GramOperator& gram, const Context& context) {
  const KnownEigenspace* space = gram.known_eigenspace();
  if (space && space->dimension() > 0 && space->eigenvalue() == gram.bounds().upper) {
    return space->eigenvalue();
  }
  check_scale(gram);
  const GramSpectrum spectrum = estimated_spectrum(gram, context, /*only_largest=*/true);
  double largest = spectrum.largest;
  // η = 0.999999/λ₁ needs more digits of λ₁ than a few Lanczos steps give if the top of the
  // spectrum is crowded.
  if (spectrum.bounds.upper - largest > 1e-9 * largest) {
    largest = std::max(largest, top_eigenpairs(gram, 1, {}, context.inner()).values[0]);
  }
  if (largest < 0.0) {
    throw ValueError(
        fmt::format("the kernel is negative on these samples: the largest eigenvalue of K/N is "
                    "{:.3g}; expected "
                    "a positive one, as a similarity has (is its sign wrong, or is it a distance?)",
                    largest));
  }
  if (!(largest > 0.0)) {
    throw ValueError(
        "the kernel is zero on these samples (no edges, or points too far apart for its length "
        "scale), so there is nothing to learn from");
  }
  return largest;
}

std::vector<double> reported_eigenvalues(const GramOperator& gram, const Context& context) {
  const Index count = std::min(kReportedEigenvalues, gram.size());
  const Vector values = top_eigenpairs(gram, count, {}, context).values;
  return {values.begin(), values.end()};
}

}  // namespace stkr
