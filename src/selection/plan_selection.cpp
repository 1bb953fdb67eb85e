#include "selection/plan_selection.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plan/make_plan.hpp"
#include "plan/run_cost.hpp"
#include "runtime/parallel.hpp"
#include "selection/propagated_blocks.hpp"
#include "specification/kernel_cost.hpp"

namespace stkr {
namespace {

// What is held throughout: the data set, the samples of the gram of every setting, and those that
// place new samples.
GramCost held_grams(const GramCost& one, const std::vector<Setting>& settings) {
  std::uint64_t copies = settings.empty() ? 2 : 1, grams = settings.empty();
  for (const Setting setting : settings) {
    copies += setting == Setting::inductive ? 3 : 1;
    grams += 1;
  }
  GramCost all = one;
  all.samples *= copies;
  all.gram *= grams;
  return all;
}

// The systems of a family: one block of K̂_s per parameter; eigenvectors and copies of it for each
// thread. An eigendecomposition per parameter, and the ridges of its folds.
void add_systems(const BlockShape& shape, double parameters, SolveCost& cost) {
  const double n = shape.labels(), rows = shape.rows();
  const double at_once = std::min<double>(parameters, shape.threads);
  const double doubles = parameters * rows * n + at_once * (4.0 * n * n + 2.0 * rows * n);
  cost.system += static_cast<std::uint64_t>(8.0 * doubles);
  cost.algebra = parameters * 20.0 * n * n * n;
}

// Families run one after the other; the settings of a split run in parallel.
Strategy selection_strategy(const ProblemShape& shape, const Specification& spec,
                            const Execution& execution, const Grid& grid,
                            const Validation& validation, const Context& context) {
  const GramCost gram = kernel_cost(shape, spec, execution);
  const BlockShape blocks{
      .solve = {.samples = shape.samples,
                .labels = shape.labeled,
                .entries = gram.entries,
                .scratch = gram.scratch},
      .scored = validation.scored,
      .labels_at_once = labels_at_once(shape.samples, shape.labeled, execution.block_bytes),
      .threads = resolve_threads(context.threads)};
  std::vector<TransformedCost> families =
      transformed_costs(blocks, grid, execution.diagonalize_below);
  if (!grid.propagation_etas.empty() && !grid.propagation_steps.empty()) {
    const Index columns =
        validation.settings.empty() ? static_cast<Index>(blocks.labels()) : shape.outputs;
    families.push_back({propagated_cost(blocks, grid, columns), 1.0});
  }
  RunCost cost(shape, held_grams(gram, validation.settings), execution, context);
  const std::uint64_t settings = std::max<std::size_t>(validation.settings.size(), 1);
  for (auto& [family, parameters] : families) {
    add_systems(blocks, parameters, family);
    family.blocks *= settings;
    family.system *= settings;
    cost.add(family);
  }
  return std::move(cost).strategy(fmt::format("{}, {} of {} labels at a time",
                                              describe_gram(shape, gram, execution),
                                              blocks.labels_at_once, blocks.labels()));
}

}  // namespace

Plan plan_selection(const ProblemShape& shape, const Specification& spec, const Grid& grid,
                    const Validation& validation, const Context& context) {
  const auto price = [&](const Execution& way) {
    return selection_strategy(shape, spec, way, grid, validation, context);
  };
  const Thrift thrift{.widest = std::max<Index>(shape.labeled, 1)};
  return make_plan(
      shape, gram_executions(shape, spec, price({}).work.products, context.device),
      [&](const Execution&) { return thrift; }, price, context);
}

}  // namespace stkr
