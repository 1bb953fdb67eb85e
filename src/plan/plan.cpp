#include "stkr/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plan/make_plan.hpp"
#include "plan/run_cost.hpp"
#include "runtime/memory.hpp"
#include "specification/kernel_cost.hpp"
#include "specification/method_cost.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// The most labels for which the n × n system is formed: up to a limit, and never. A fit without
// that choice has one way.
std::vector<Index> systems(const ProblemShape& shape, const Specification& spec,
                           const Context& context) {
  // 1 GB without a memory budget.
  const Index most_direct = context.memory > 0 ? 15'000 : Execution{}.most_direct;
  const auto* stkr = std::get_if<StkrSpec>(&spec.method);
  const bool either = stkr ? stkr->solver == StkrSolver::automatic
                           : std::holds_alternative<KernelRidgeSpec>(spec.method);
  if (either && shape.labeled <= most_direct) {
    return {shape.labeled, 0};
  }
  return {most_direct};
}

// More columns at a time save kernel evaluations; the cost of graph products does not depend on it.
Thrift thrift_of(const ProblemShape& shape, const Execution& way) {
  const bool evaluates = shape.kind == DatasetKind::points && way.tiles == Tiles::evaluated;
  return {.block_bytes = std::size_t{1} << (evaluates ? 30 : 27),
          .widest = std::max({shape.labeled, shape.outputs, Index{1}}),
          .outputs = true};
}

Strategy fit_strategy(const ProblemShape& shape, const Specification& spec,
                      const Execution& execution, const Context& context) {
  const GramCost gram = kernel_cost(shape, spec, execution);
  const MethodCost method = method_cost(shape, spec, gram, execution);
  RunCost cost(shape, gram, execution, context);
  for (const SolveCost& step : method.steps) cost.add(step);
  cost.end(method.model);
  return std::move(cost).strategy(
      fmt::format("{}, {}", describe_gram(shape, gram, execution), method.solver));
}

}  // namespace

Plan plan_fit(const ProblemShape& shape, const Specification& spec, const Context& context) {
  const auto price = [&](const Execution& way) { return fit_strategy(shape, spec, way, context); };
  const std::vector<Index> labels = systems(shape, spec, context);
  Execution first;
  first.most_direct = labels.front();
  std::vector<Execution> ways;
  for (Execution way : gram_executions(shape, spec, price(first).work.products, context.device)) {
    for (const Index most_direct : labels) {
      way.most_direct = most_direct;
      ways.push_back(way);
    }
  }
  return make_plan(
      shape, ways, [&](const Execution& way) { return thrift_of(shape, way); }, price, context);
}

Work& Work::operator+=(const Work& other) {
  products += other.products;
  evaluations += other.evaluations;
  operations += other.operations;
  pairs += other.pairs;
  algebra += other.algebra;
  return *this;
}

const Execution& chosen_execution(const Plan& plan) {
  if (!plan.chosen) {
    std::string message =
        fmt::format("nothing fits in the memory {}; the smallest peak of each strategy:",
                    plan.memory > 0 ? fmt::format("budget of {}", format_bytes(plan.memory))
                                    : std::string("of the device"));
    for (const Strategy& strategy : plan.strategies) {
      const MemoryUse& use = strategy.peak;
      message += fmt::format(
          "\n  {}: {} while {} (program {}, samples {}, gram {}, blocks {}, system {}, model {})",
          strategy.name, format_bytes(use.total()), use.phase, format_bytes(use.program),
          format_bytes(use.samples), format_bytes(use.gram), format_bytes(use.blocks),
          format_bytes(use.system), format_bytes(use.model));
      if (strategy.device > plan.device_memory) {
        message += fmt::format(", and {} on the device, which has {} free",
                               format_bytes(strategy.device), format_bytes(plan.device_memory));
      }
    }
    throw MemoryError(message + "\nallow more memory, or use fewer samples, features or labels");
  }
  return plan.strategies[*plan.chosen].execution;
}

std::string describe_choice(const Plan& plan) {
  const Strategy& strategy = plan.strategies[*plan.chosen];
  const std::uint64_t most = strategy.peak.total();
  return fmt::format(
      "about {}{} of {}: {}", format_bytes(strategy.expected),
      strategy.expected < most ? fmt::format(", at most {},", format_bytes(most)) : "",
      format_bytes(plan.memory), strategy.name);
}

}  // namespace stkr
