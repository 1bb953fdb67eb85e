#pragma once

#include <cstdint>
#include <vector>

#include "estimator/ridge_strategy.hpp"
#include "solver/filter_plan.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// What the memory and the work of a solve depend on.
struct SolveShape {
  Index samples = 0;        // N
  Index labels = 0;         // n
  Index outputs = 1;        // C
  Index entries = 0;        // of S if it is sparse, else 0
  Index scratch = 0;        // N × C blocks that a product needs besides x and y
  bool indefinite = false;  // S may have a negative eigenvalue
  double tolerance = 1e-8;  // of the method
  int max_iterations = 1000;
  bool relative_ridge = false;  // the unit of the ridge has to be computed

  Index outputs_at_once(const Execution& execution) const;
  double batches(const Execution& execution) const;  // of outputs
};

// Some products of S with blocks of so many columns.
struct Products {
  double count = 0.0;
  double columns = 0.0;
};

// Memory and work of one step of a fit, while the step runs.
struct SolveCost {
  std::uint64_t blocks = 0;  // bytes of N × columns blocks
  std::uint64_t system = 0;  // bytes of explicit matrices, in addition to the action's
  std::uint64_t model = 0;   // bytes of results of earlier steps
  std::vector<Products> products{};
  double algebra = 0.0;  // operations of factorizations
  bool retry = false;    // runs only if an earlier step fails
};

// Cost of g(S) B for a block of columns (estimator/spectral_action).
struct ActionCost {
  double products = 0.0;     // for one block
  double preparing = 0.0;    // products with N columns, once
  Index blocks = 3;          // N × columns: B, the result and intermediates
  std::uint64_t system = 0;  // a factor of Q or eigenvectors, while the action lives
  std::uint64_t making = 0;  // in addition, while building it
};
ActionCost action_cost(const SolveShape& shape, const SpectralTransform& transform,
                       const Execution& execution);

// Products of the Chebyshev approximation of e^(tλ): a few more than t.
double diffusion_products(double time);

// One attempt at the ridge system (estimator/ridge_solve).
SolveCost attempt_cost(const SolveShape& shape, const RidgeStrategy::Attempt& attempt,
                       const SpectralTransform& transform, const ActionCost& action,
                       const Execution& execution);
// The unit of the ridge, if the system is not formed (estimator/ridge_unit).
SolveCost ridge_unit_cost(const SolveShape& shape, const ActionCost& action,
                          const Execution& execution);
// `steps` steps of label propagation (estimator/label_propagation).
SolveCost propagation_cost(const SolveShape& shape, double steps, const ActionCost& action,
                           const Execution& execution);
// c = g(S) E α, in batches of outputs.
SolveCost coefficient_cost(const SolveShape& shape, const ActionCost& action,
                           const Execution& execution);

// d eigenvectors of the samples: dense up to `dense_below` samples unless S is sparse, and for
// sparse S by components (solver/component_eigenpairs).
EigenpairMemory eigenvector_memory(const SolveShape& shape, Index dimension, Index dense_below);

}  // namespace stkr
