#pragma once

#include "stkr/estimator/plan.hpp"

namespace stkr {

// What the labeled samples lead to.
enum class System {
  explicit_one,  // n × n, formed
  iterative,     // n × n or N × N, known by its products
  eigenvectors,  // of kernel PCA
};

// Memory and work of a fit with recipe.execution as it is. It follows what the estimators allocate,
// block by block: change it with them.
Strategy fit_strategy(const ProblemShape& shape, const Recipe& recipe, System system);

}  // namespace stkr
