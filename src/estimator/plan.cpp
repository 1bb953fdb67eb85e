#include "stkr/estimator/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fit_cost.hpp"
#include "runtime/memory.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

std::vector<System> systems(const ProblemShape& shape, const Recipe& recipe,
                            const Context& context) {
  // Most labels for which the n × n system is formed by default: 1 GB without a memory budget.
  const Index most_direct = context.memory > 0 ? 15'000 : 6'000;
  if (recipe.method == Method::kernel_pca) return {System::eigenvectors};
  if (recipe.method == Method::label_propagation) return {System::iterative};
  if (recipe.method == Method::kernel_ridge && shape.labeled > most_direct) {
    return {System::iterative};
  }
  switch (recipe.solver) {
    case StkrSolver::direct:
    case StkrSolver::diagonalize:
      return {System::explicit_one};
    case StkrSolver::automatic:
      if (shape.labeled <= most_direct) return {System::explicit_one, System::iterative};
      return {System::iterative};
    default:
      return {System::iterative};
  }
}

// Variants in order of decreasing memory: first without dense matrices, then with ever fewer
// columns at a time.
std::vector<Strategy> degrees_of_thrift(const ProblemShape& shape, Recipe recipe, System system,
                                        const Context& context) {
  // More columns at a time save kernel evaluations; the cost of graph products does not depend on
  // it.
  const bool evaluates =
      shape.kind == DatasetKind::points && recipe.execution.tiles == Tiles::evaluated;
  const std::size_t most_bytes = std::size_t{1} << (evaluates ? 30 : 27);
  const Index widest = std::max({shape.labeled, shape.outputs, Index{1}});
  recipe.execution.block_bytes = most_bytes;
  recipe.execution.outputs_at_once = 0;
  recipe.execution.most_direct = system == System::explicit_one ? shape.labeled : 0;
  std::vector<Strategy> result{fit_strategy(shape, recipe, system, context)};
  recipe.execution.factorize_below = recipe.execution.diagonalize_below = 0;
  for (Index columns = widest; columns >= 1; columns /= 2) {
    recipe.execution.block_bytes =
        std::min(most_bytes, static_cast<std::size_t>(8 * shape.samples * columns));
    recipe.execution.outputs_at_once = columns < shape.outputs ? columns : 0;
    result.push_back(fit_strategy(shape, recipe, system, context));
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
    if (plan.strategies[*plan.chosen].single_precision && !first.single_precision) {
      plan.why += "; nothing fits in double precision, so points and kernel are rounded to single";
    }
  }
}

Plan plan_fit(const ProblemShape& shape, const Recipe& recipe, const Context& context) {
  Plan plan{.shape = shape, .memory = context.memory};
  const std::vector<System> ways = systems(shape, recipe, context);
  const double products = fit_strategy(shape, recipe, ways.front(), context).work.products;
  for (const Recipe& held : gram_strategies(shape, recipe, products)) {
    for (const System system : ways) {
      plan.strategies.push_back(
          first_that_fits(context.memory, degrees_of_thrift(shape, held, system, context)));
    }
  }
  choose(plan);
  return plan;
}

Recipe carried_out(const Plan& plan, Recipe recipe) {
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
  const Strategy& strategy = plan.strategies[*plan.chosen];
  recipe.execution = strategy.execution;
  recipe.single_precision = strategy.single_precision;
  return recipe;
}

Choice choice_of(const Plan& plan) {
  const Strategy& strategy = plan.strategies[*plan.chosen];
  const std::uint64_t most = strategy.peak.total();
  return {
      "memory",
      fmt::format("about {}{} of {}: {}", format_bytes(strategy.expected),
                  strategy.expected < most ? fmt::format(", at most {},", format_bytes(most)) : "",
                  format_bytes(plan.memory), strategy.name),
      plan.why};
}

}  // namespace stkr
