#pragma once

#include <string>
#include <vector>

#include "estimator/solve_cost.hpp"
#include "gram/gram_cost.hpp"
#include "stkr/dataset/dataset.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/specification/specification.hpp"

namespace stkr {

// What a method does with its gram, one step after the other.
struct MethodCost {
  std::string solver;            // "iterative, else explicit system"
  std::vector<SolveCost> steps;  // in the order in which they run
  std::uint64_t model = 0;       // bytes of the result
};
MethodCost method_cost(const ProblemShape& shape, const Specification& spec, const GramCost& gram,
                       const Execution& execution);

}  // namespace stkr
