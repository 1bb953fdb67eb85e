#pragma once

#include "stkr/estimator/execution.hpp"
#include "stkr/estimator/fit.hpp"

namespace stkr {

enum class StkrSolver {
  automatic,    // direct for few labels, else cg or minres by what is known of the spectrum
  direct,       // Algorithm 3: the explicit n × n system, Cholesky or Bunch-Kaufman
  richardson,   // Algorithms 1 and 2 as printed
  cg,           // conjugate gradients on the n × n system
  minres,       // the same for indefinite systems
  diagonalize,  // eigendecomposition of the explicit n × n system
};
const char* to_string(StkrSolver solver);

struct StkrOptions {
  SpectralTransform transform = SpectralTransform::inverse_laplacian(0.99);  // s
  double beta = 1e-2;                                                        // ridge β_n > 0
  StkrSolver solver = StkrSolver::automatic;
  double tolerance = 1e-8;    // on ‖Aα - y‖/‖y‖ per column
  int max_iterations = 1000;  // with richardson also the early stopping T of the paper's grid
  double step_size = 0.0;     // γ of richardson; 0: from a bound on the spectrum
  bool precondition = true;   // cg, where the system is positive semidefinite for certain
  Execution execution{};
  std::uint64_t seed = 1;
  int threads = 0;
  SolveControl control{};
};

// Spectrally transformed kernel regression, eq: closed form STKR:
//   solve    (N·Eᵀ S g(S) E + nβ I) α = Y
//   keep     c = g(S) E α
//   predict  f(x) = Σ_i K(x, x_i) c_i
// with s(λ) = λ·g(λ), S = G_K/N and E picking the n labelled samples. Not converging is a result
// (summary.solve), not an exception; a transform that does not fit the spectrum is a ValueError; a
// stop request through control.cancel is thrown as Cancelled, whatever the solver.
Fit fit_stkr(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
             const StkrOptions& options = {});

struct KernelRidgeOptions {
  double beta = 1e-2;         // β_n > 0
  double tolerance = 1e-8;    // on ‖Aα - y‖/‖y‖ per column
  int max_iterations = 1000;  // of the iterative solver
  std::uint64_t seed = 1;     // of its preconditioner
  Execution execution{};
  int threads = 0;
  SolveControl control{};
};

// Kernel ridge regression, s(λ) = λ (eqn:representer): only the labelled samples count, c = E α.
// With more labels than `most_direct` the system is never formed: preconditioned conjugate
// gradients, or MINRES where the kernel may be indefinite.
Fit fit_kernel_ridge(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                     const KernelRidgeOptions& options = {});

}  // namespace stkr
