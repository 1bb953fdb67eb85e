#pragma once

#include <optional>
#include <string>

#include "solver/nystrom_preconditioner.hpp"
#include "stkr/estimator/stkr.hpp"

namespace stkr {

// What decides how the ridge system (N·Eᵀ S g(S) E + nβ I) α = Y is solved.
struct RidgeTraits {
  Index labels = 0;                // n
  Index outputs = 1;               // C
  bool sparse = false;             // a product costs far less than N² operations
  bool semidefinite = true;        // s ≥ 0 on the spectrum
  bool inverse_laplacian = false;  // the symmetric system of Algorithm 2 exists
  bool linear = false;             // s(λ) = aλ: the system is the kernel's own n × n block
  bool chooses_ridge = false;      // by leave-one-out, which needs the formed system
  StkrSolver solver = StkrSolver::automatic;
  int max_iterations = 1000;
  Index most_direct = 6000;  // Execution
};

// Whether s(λ) = aλ.
inline bool is_linear(const SpectralTransform& transform) {
  const auto polynomial = transform.polynomial_coefficients();
  return polynomial && polynomial->size() == 1;
}

// Solvers of the ridge system, in order. Decided here alone: estimator/ridge_solve carries it out,
// and plan/fit_cost prices it.
struct RidgeStrategy {
  struct Attempt {
    StkrSolver solver = StkrSolver::direct;
    int max_iterations = 0;

    bool forms_system() const;  // n × n, explicit
  };
  Attempt first{};
  std::optional<Attempt> second{};  // if the first does not converge
  bool after_breakdown = false;     // the second only if the first breaks down

  bool forms_system() const { return first.forms_system(); }
  std::string describe() const;  // "iterative, else explicit system"
};

RidgeStrategy choose_ridge_strategy(const RidgeTraits& traits);

// The preconditioner of conjugate gradients for n labels among N samples: its rank, and how many
// columns of its sketch are spread over all samples at a time.
NystromOptions ridge_preconditioner_options(Index labels, Index samples, Index outputs,
                                            double tolerance, std::size_t block_bytes);

}  // namespace stkr
