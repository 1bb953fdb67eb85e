#pragma once

#include <vector>

#include "stkr/explain/explain.hpp"
#include "stkr/theory/spectrum.hpp"

namespace stkr {

// Which s puts its variance where the labels have theirs. As the prior of a Gaussian process, K_s
// expects the energy a·s(λ_i) of eigenvector i, and noise the same of each; a and the noise are
// fitted to the bands by least squares with their standard errors, for powers and inverse
// Laplacians. Candidates are those whose misfit is no more than 4 above the best one's (two
// standard errors), best first; ties are broken by the simpler one. The best one agrees with the
// labels if its misfit is what the standard errors of the bands explain, and less than that of
// noise alone. Bands of eigenvalues equal to λ₁ do not count: these eigenvectors are constants of
// components, of which centered labels have none. `values`: λ_1, ..., λ_d as in label_energy;
// `density` of S gives s in the rest.
TransformAdvice advise_transform(const LabelEnergy& energy, const Vector& values,
                                 const SpectralDensity& density);

}  // namespace stkr
