#pragma once

#include "stkr/estimator/plan.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

// The kind of system that a fit solves.
enum class System {
  explicit_one,  // n × n, formed
  iterative,     // n × n or N × N, given by its products
  eigenvectors,  // of kernel PCA
};

// Memory and work of a fit with the given recipe.execution. It mirrors the allocations of the
// estimators block by block: change both together.
Strategy fit_strategy(const ProblemShape& shape, const Recipe& recipe, System system,
                      const Context& context);

}  // namespace stkr
