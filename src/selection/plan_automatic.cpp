#include "selection/plan_automatic.hpp"

#include <algorithm>

#include "selection/automatic_candidates.hpp"
#include "selection/plan_selection.hpp"
#include "stkr/selection/fit_automatic.hpp"

namespace stkr {
namespace {

// As automatic_candidates, without the data: for classes.
std::vector<Specification> tried_kernels(const ProblemShape& shape, const Specification& spec) {
  std::vector<Specification> all;
  const auto add = [&](const KernelSpec& kernel) {
    all.push_back(spec);
    all.back().kernel = kernel;
  };
  if (!kernel_open(spec) || shape.kind != DatasetKind::points) return {spec};
  const Index k = usual_neighbors(shape.samples);
  add(NeighborGraphSpec{.neighbors = k});
  if (shape.samples > kMostDense) return all;
  if (shape.samples > 20) add(NeighborGraphSpec{.neighbors = 5});
  if (shape.samples > 2 * k) add(PointKernelSpec{});
  if (shape.features > 2) add(PointKernelSpec{.kernel = Kernel::cosine(), .normalize = false});
  return all;
}

Work chosen_work(const Plan& plan) {
  return plan.strategies[plan.chosen.value_or(plan.strategies.size() - 1)].work;
}

}  // namespace

std::vector<PlannedKernel> plan_automatic(const ProblemShape& shape, const Specification& spec,
                                          const Context& context) {
  std::vector<PlannedKernel> result;
  if (is_open(spec)) {
    ProblemShape deciding = shape;
    deciding.labeled = std::min(shape.labeled, static_cast<Index>(kMostDeciding) + shape.outputs);
    for (const Specification& one : tried_kernels(shape, spec)) {
      const auto grid = automatic_grid(one, /*regression=*/false, /*largest_eigenvalue=*/1.0);
      if (!grid) continue;
      result.push_back(
          {one, chosen_work(plan_selection(deciding, one, *grid, {.scored = 256}, context))});
    }
  }
  const Specification fitted = planned_specification(shape, spec);
  Work work = chosen_work(plan_fit(shape, fitted, context));
  if (!result.empty()) work.pairs = 0.0;  // the graph of the best kernel is kept
  result.push_back({fitted, work});
  return result;
}

}  // namespace stkr
