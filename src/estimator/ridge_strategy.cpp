#include "estimator/ridge_strategy.hpp"

#include <algorithm>

namespace stkr {
namespace {

// Forming the n × n system costs n columns, an iterative solver C columns per step. So a few
// hundred labels, or few per output, are solved explicitly.
bool forms_immediately(const RidgeTraits& traits) {
  if (traits.labels > traits.most_direct) return false;
  if (traits.linear) return true;  // n² kernel values, less than one product
  constexpr Index kMostToChooseBy = 1000;
  const bool chooses = traits.chooses_ridge && traits.labels <= kMostToChooseBy;
  const bool few = traits.labels <= 300 || traits.labels <= 40 * traits.outputs || chooses;
  // The system of Algorithm 2 needs one product per step, all others an inner solve: on a graph it
  // is tried first.
  const bool tries_steps =
      traits.inverse_laplacian && traits.sparse && traits.labels > 4 * traits.outputs && !chooses;
  return few && !tries_steps;
}

}  // namespace

bool RidgeStrategy::Attempt::forms_system() const {
  return solver == StkrSolver::direct || solver == StkrSolver::diagonalize;
}

std::string RidgeStrategy::describe() const {
  if (forms_system()) return "explicit system";
  return second && second->forms_system() ? "iterative, else explicit system" : "iterative";
}

RidgeStrategy choose_ridge_strategy(const RidgeTraits& traits) {
  const auto all = [&](StkrSolver solver) {
    return RidgeStrategy::Attempt{solver, traits.max_iterations};
  };
  if (traits.solver != StkrSolver::automatic) return {all(traits.solver)};
  if (forms_immediately(traits)) return {all(StkrSolver::direct)};
  const bool cheap_steps = traits.inverse_laplacian && (traits.sparse || !traits.semidefinite);
  const StkrSolver iterative =
      traits.semidefinite && !cheap_steps ? StkrSolver::cg : StkrSolver::minres;
  if (traits.labels > traits.most_direct) {
    if (iterative == StkrSolver::cg) {
      // Semidefinite in theory, indefinite due to rounding (single precision) and a tiny ridge.
      return {all(StkrSolver::cg), all(StkrSolver::minres), /*after_breakdown=*/true};
    }
    if (traits.semidefinite) return {all(StkrSolver::minres), all(StkrSolver::cg)};
    return {all(StkrSolver::minres)};
  }
  // An iterative solver may try for as long as forming the system would take.
  const Index steps = (cheap_steps ? 40 : 1) * traits.labels / traits.outputs;
  return {{iterative, static_cast<int>(std::min<Index>(traits.max_iterations, steps))},
          all(StkrSolver::direct)};
}

NystromOptions ridge_preconditioner_options(Index labels, Index samples, Index outputs,
                                            double tolerance, std::size_t block_bytes) {
  const auto most_values = static_cast<Index>(block_bytes / sizeof(double));
  NystromOptions options;
  options.most_rank =
      std::clamp<Index>(most_values / std::max<Index>(labels, 1), options.rank, options.most_rank);
  options.columns = outputs;
  options.tolerance = tolerance;
  // A product spreads its columns over all samples.
  options.at_once = std::max({most_values / std::max<Index>(samples, 1), options.rank, outputs});
  return options;
}

}  // namespace stkr
