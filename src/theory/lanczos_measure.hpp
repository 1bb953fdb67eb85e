#pragma once

#include <functional>

#include "stkr/linop/linear_operator.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

// The spectral measure of f under S, Σ_k w_k at λ_k, or a Gauss quadrature of it.
struct SpectralMeasure {
  Vector nodes{};    // ascending
  Vector weights{};  // of sum ‖f‖²
  bool exact = false;
};

// By all eigenvectors.
SpectralMeasure exact_measure(const LinearOperator& s, const Vector& f, const Context& context);

// By up to `max_steps` Lanczos steps with full reorthogonalization. `enough` is asked after each
// step of a few. The measure is exact if the Krylov space is exhausted. Throws Cancelled.
SpectralMeasure lanczos_measure(const LinearOperator& s, const Vector& f, int max_steps,
                                const std::function<bool(const SpectralMeasure&)>& enough,
                                const Context& context);

}  // namespace stkr
