#include "stkr/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plan/fit_cost.hpp"
#include "plan/gram_cost.hpp"
#include "runtime/memory.hpp"
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

// Variants in order of decreasing memory: first without dense matrices, then with ever fewer
// columns at a time.
std::vector<Strategy> thriftier_variants(const ProblemShape& shape, const Specification& spec,
                                         Execution execution, const Context& context) {
  // More columns at a time save kernel evaluations; the cost of graph products does not depend on
  // it.
  const bool evaluates = shape.kind == DatasetKind::points && execution.tiles == Tiles::evaluated;
  const std::size_t most_bytes = std::size_t{1} << (evaluates ? 30 : 27);
  const Index widest = std::max({shape.labeled, shape.outputs, Index{1}});
  execution.block_bytes = most_bytes;
  execution.outputs_at_once = 0;
  std::vector<Strategy> result{fit_strategy(shape, spec, execution, context)};
  execution.factorize_below = execution.diagonalize_below = 0;
  for (Index columns = widest; columns >= 1; columns /= 2) {
    execution.block_bytes =
        std::min(most_bytes, static_cast<std::size_t>(8 * shape.samples * columns));
    execution.outputs_at_once = columns < shape.outputs ? columns : 0;
    result.push_back(fit_strategy(shape, spec, execution, context));
  }
  return result;
}

}  // namespace

Strategy first_that_fits(std::uint64_t memory, std::vector<Strategy> thriftier) {
  for (Strategy& strategy : thriftier) {
    strategy.fits = memory == 0 || strategy.peak.total() <= memory;
    if (strategy.fits) return std::move(strategy);
  }
  return std::move(thriftier.back());
}

void choose(Plan& plan) {
  for (std::size_t k = 0; k < plan.strategies.size() && !plan.chosen; ++k) {
    if (plan.strategies[k].fits) plan.chosen = k;
  }
  if (!plan.chosen) {
    plan.why = "no strategy fits";
  } else if (*plan.chosen == 0) {
    plan.why = "the fastest strategy fits";
  } else {
    const Strategy& first = plan.strategies.front();
    plan.why = fmt::format("'{}' would take {}", first.name, format_bytes(first.peak.total()));
    if (plan.strategies[*plan.chosen].execution.single_precision &&
        !first.execution.single_precision) {
      plan.why += "; nothing fits in double precision, so points and kernel are rounded to single";
    }
  }
}

Plan plan_fit(const ProblemShape& shape, const Specification& spec, const Context& context) {
  Plan plan{.shape = shape, .memory = context.memory};
  const std::vector<Index> ways = systems(shape, spec, context);
  Execution first;
  first.most_direct = ways.front();
  const double products = fit_strategy(shape, spec, first, context).work.products;
  for (Execution execution : gram_executions(shape, spec, products)) {
    for (const Index most_direct : ways) {
      execution.most_direct = most_direct;
      plan.strategies.push_back(
          first_that_fits(context.memory, thriftier_variants(shape, spec, execution, context)));
    }
  }
  choose(plan);
  return plan;
}

const Execution& chosen_execution(const Plan& plan) {
  if (!plan.chosen) {
    std::string message =
        fmt::format("nothing fits in the memory budget of {}; the smallest peak of each strategy:",
                    format_bytes(plan.memory));
    for (const Strategy& strategy : plan.strategies) {
      const MemoryUse& use = strategy.peak;
      message += fmt::format(
          "\n  {}: {} while {} (program {}, samples {}, gram {}, blocks {}, system {}, model {})",
          strategy.name, format_bytes(use.total()), use.phase, format_bytes(use.program),
          format_bytes(use.samples), format_bytes(use.gram), format_bytes(use.blocks),
          format_bytes(use.system), format_bytes(use.model));
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
