#pragma once

#include "inference/term_system.hpp"
#include "runtime/random.hpp"

namespace stkr {

// √N s(S)^½ Ω for standard normal Ω: `count` functions at the N samples, drawn from the Gaussian
// process with covariance K̂_s. s^½ is a Chebyshev series to 1e-3 of its maximum; the Poisson
// transform at η = 1 has a pole at the end of the spectrum and is taken at η = 0.9995.
Matrix prior_paths(const TermSystem& term, const FittedSystem& system, Index count, Random& random,
                   const Context& context);

// The same functions conditioned on labels equal to 0, by Matheron's rule: their covariance is the
// posterior one, with noise of these variances.
Matrix posterior_paths(const TermSystem& term, const LinearSolution& solution, const Vector& noise,
                       const FittedSystem& system, Matrix paths, Random& random);

// Variance of the noise of each label: nβ/v.
Vector label_noise(const TermSystem& term, const TermRidge& ridge, Index labels);

}  // namespace stkr
