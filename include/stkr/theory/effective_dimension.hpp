#pragma once

#include <span>

#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/theory/spectral_density.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

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

}  // namespace stkr
