#pragma once

#include "stkr/inference/fitted_system.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

struct PosteriorOptions {
  // More samples than this in problems larger than `exact_size` get an estimate.
  Index exact_samples = 256;
  Index exact_size = 3000;
  Index probes = 128;  // of the estimate, whose relative standard error is √(2/probes)
};

struct Posterior {
  Matrix variance;  // of f, one row per sample and one column per output, in squared units of Y
  Vector noise;     // variance of a label around f, per output, likewise
  double relative_error = 0.0;  // standard error of the variances; 0 if they are exact
};

// The variance of f under the Gaussian process whose mean is the fit: covariance a·K̂_s, labels with
// noise of variance a·nβ/v, and a free constant if the fit has one:
//   Var f(x)/a = K̂_s(x,x) - k_s(x)ᵀA⁻¹k_s(x) + (1 - k_s(x)ᵀA⁻¹1)²/1ᵀA⁻¹1,
// the last term with a constant only. The labels determine a for each output by maximum likelihood,
// a = yᵀPy/n. Of an average, the variance of the mixture: the mean of the variances plus the
// variance of the means. A sample that no label reaches has its prior variance.
Posterior posterior(const FittedSystem& system, std::span<const Index> samples,
                    const PosteriorOptions& options = {}, const Context& context = {});
// The same for new samples, always exact: one column per sample. Throws ValueError if K(x, x) of a
// new sample is not known, as for a kernel given by its values.
Posterior posterior(const FittedSystem& system, const NewSamples& samples,
                    const Context& context = {});

}  // namespace stkr
