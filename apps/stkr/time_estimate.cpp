#include "time_estimate.hpp"

#include <fmt/format.h>

#include "selection/plan_automatic.hpp"
#include "selection/plan_selection.hpp"

namespace stkr::app {
namespace {

constexpr Index kManyPoints = 20'000;
constexpr double kMuchFaster = 20.0;

}  // namespace

RunTime estimated_time(const ProblemShape& shape, const Specification& spec,
                       const Context& context) {
  RunTime total;
  for (const PlannedKernel& one : plan_automatic(shape, spec, context)) {
    total += run_time(shape, one.spec, one.work, measure_rates(shape, one.spec, context));
  }
  return total;
}

RunTime estimated_time(const ProblemShape& shape, const Specification& spec, const Grid& grid,
                       const Context& context) {
  const Plan plan = plan_selection(shape, spec, grid, {}, context);
  return run_time(shape, spec, plan.strategies[plan.chosen.value_or(0)].work,
                  measure_rates(shape, spec, context));
}

std::optional<std::string> faster_kernel(const ProblemShape& shape, const Specification& spec,
                                         const Context& context, int processes) {
  if (shape.samples <= kManyPoints || spec.kernel == KernelSpec() || !is_dense(shape, spec)) {
    return std::nullopt;
  }
  Specification other = spec;
  other.kernel = NeighborGraphSpec{};
  other.added.clear();
  const auto shared_time = [&](const Specification& one) {
    const RunTime alone = estimated_time(shape, one, context);
    return RunTime{alone.least / processes, alone.most / processes};
  };
  const RunTime now = shared_time(spec), then = shared_time(other);
  if (now.middle() < kMuchFaster * then.middle()) return std::nullopt;
  return fmt::format("--kernel knn would take {} instead of {}", describe(then), describe(now));
}

}  // namespace stkr::app
