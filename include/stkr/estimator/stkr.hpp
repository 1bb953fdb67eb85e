#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "stkr/estimator/fit.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/summary.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

enum class StkrSolver {
  automatic,    // direct for few labels, else cg or minres depending on the spectrum
  direct,       // Algorithm 3: the explicit n × n system, Cholesky or Bunch-Kaufman
  richardson,   // Algorithms 1 and 2 as printed
  cg,           // conjugate gradients on the n × n system
  minres,       // the same for indefinite systems
  diagonalize,  // eigendecomposition of the explicit n × n system
};
const char* to_string(StkrSolver solver);

// A solver of your own for the ridge system A α = Y, where A is symmetric and given by its
// products. Its summary decides whether the fit has converged.
//
//   options.own_solver = [](const LinearOperator& a, ConstMatrixRef y, const SolverOptions&
//   options,
//                           const Context& context) { return solve_minres(a, y, options, context);
//                           };
using OwnSolver = std::function<SolveResult(const LinearOperator& a, ConstMatrixRef y,
                                            const SolverOptions& options, const Context& context)>;

struct StkrOptions {
  SpectralTransform transform = SpectralTransform::inverse_laplacian(0.99);  // s
  double ridge = kDefaultRidge;  // ρ > 0: nβ_n in units of the mean diagonal of G_{K̂_s,n}
  std::optional<double> beta{};  // β_n > 0 of the paper, instead of ρ
  // Choose ρ by leave-one-out squared error if the n × n system is formed; otherwise keep `ridge`.
  bool choose_ridge = false;
  bool constant = false;  // f = h + b with a free b, as in eqn:ridge
  // Fit::left_out, if the n × n system is formed anyway and no sample weights are given.
  bool leave_one_out = false;
  Vector label_weights{};  // of the squared errors, > 0; empty: 1 each
  // Truncation: exactly d eigenvectors, as in the definition. Otherwise only those of components
  // that labels reach, and all copies of equal ones (estimator/leading_space).
  bool literal_top_d = false;
  StkrSolver solver = StkrSolver::automatic;
  double tolerance = 1e-8;    // on ‖Aα - y‖/‖y‖ per column
  int max_iterations = 1000;  // with richardson also T of the paper's early stopping
  double step_size = 0.0;     // γ of richardson; 0: derived from a bound on the spectrum
  bool precondition = true;   // for cg, if the system is known to be positive semidefinite
  OwnSolver own_solver{};     // instead of `solver`
  Execution execution{};
};

// Spectrally transformed kernel regression, eq: closed form STKR:
//   solve    (N·Eᵀ S g(S) E + nβ I) α = Y
//   keep     c = q(S) E α
//   predict  f(x) = Σ_i K(x, x_i) c_i for new x, f̂ = N·S g(S) E α at the samples
// with s(λ) = λ·g(λ), S = G_K/N and E selecting the n labeled samples; q equals g except for
// kernels with a self term (GramOperator::self_term). With `constant`, Y - b replaces Y, where b =
// 1ᵀA⁻¹Y/1ᵀA⁻¹1 minimizes eqn:ridge over constants. Sample weights (GramOperator::root_weights) and
// label weights change A, which is then always formed. Failing to converge is a result
// (summary.solve), not an exception. Throws ValueError if the transform does not fit the spectrum,
// and Cancelled, with any solver, if cancellation is requested through control.cancel.
Fit fit_stkr(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
             const StkrOptions& options = {}, const Context& context = {});

struct KernelRidgeOptions {
  double ridge = kDefaultRidge;  // this and the next four as in StkrOptions
  std::optional<double> beta{};
  bool choose_ridge = false;
  bool constant = false;
  Vector label_weights{};
  double tolerance = 1e-8;    // on ‖Aα - y‖/‖y‖ per column
  int max_iterations = 1000;  // of the iterative solver
  Execution execution{};
};

// Kernel ridge regression, s(λ) = λ (eqn:representer): uses only the labeled samples, c = E α. With
// more labels than `most_direct` the system is never formed: it is solved by preconditioned
// conjugate gradients, or by MINRES if the kernel may be indefinite.
Fit fit_kernel_ridge(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                     const KernelRidgeOptions& options = {}, const Context& context = {});

// f = Σ w_k f_k/Σ w_k over fits of fit_stkr with different transforms and ridges. As all have the
// form f(x) = Σ_i K(x, x_i) c_i, the average has one coefficient block c, and predictions cost the
// same as those of one fit. Each transform forms its n × n system once for all ridges; `options`
// gives everything but the transform and the ridge. Throws ValueError for an empty list, weights or
// ridges that are not positive, sample or label weights, and more than
// options.execution.most_direct labels.
Fit fit_average(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                const std::vector<AverageTerm>& terms, const StkrOptions& options = {},
                const Context& context = {});

// f_{-i}(x_i) for every labeled i, where f_{-i} is the same average fitted to the labels of the
// others: n × C, with its constant, in the units of y. In closed form (RidgePath::leave_one_out),
// at the cost of forming the n × n system of every term. Throws as fit_average does.
Matrix leave_one_out(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y,
                     const std::vector<AverageTerm>& terms, const StkrOptions& options = {},
                     const Context& context = {});

}  // namespace stkr
