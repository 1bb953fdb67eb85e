#include "plan/make_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linop/device_backend.hpp"
#include "runtime/memory.hpp"
#include "specification/host_parts.hpp"
#include "specification/kernel_cost.hpp"

namespace stkr {
namespace {

// Tiles are kept up to this many samples: 1.6 GB, evaluated once in seconds.
constexpr Index kMostKept = 20'000;

// Keeping tiles costs about as much as this many operations per value, and saves all evaluations
// but the first.
constexpr double kKeeping = 200.0;
// Products from which it pays, however cheap the kernel is.
constexpr double kKeepingPays = 6.0;

// Variants in order of decreasing memory: first without dense matrices, then with ever fewer
// columns at a time. Returns the first that fits, or the last.
Strategy first_that_fits(const ProblemShape& shape, Execution way, const Thrift& thrift,
                         const std::function<Strategy(const Execution&)>& price, const Plan& plan) {
  const auto priced = [&] {
    Strategy strategy = price(way);
    strategy.fits = (plan.memory == 0 || strategy.peak.total() <= plan.memory) &&
                    strategy.device <= plan.device_memory;
    return strategy;
  };
  way.block_bytes = thrift.block_bytes;
  Strategy strategy = priced();
  way.factorize_below = way.diagonalize_below = 0;
  for (Index columns = thrift.widest; !strategy.fits && columns >= 1; columns /= 2) {
    way.block_bytes =
        std::min(thrift.block_bytes, static_cast<std::size_t>(8 * shape.samples * columns));
    if (thrift.outputs) way.outputs_at_once = columns < shape.outputs ? columns : 0;
    strategy = priced();
  }
  return strategy;
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
    if (first.device > plan.device_memory) {
      plan.why += fmt::format(", and {} on the device, which has {} free",
                              format_bytes(first.device), format_bytes(plan.device_memory));
    }
    if (plan.strategies[*plan.chosen].execution.single_precision &&
        !first.execution.single_precision) {
      plan.why += "; nothing fits in double precision, so points and kernel are rounded to single";
    }
  }
}

}  // namespace

std::vector<Execution> gram_executions(const ProblemShape& shape, const Specification& spec,
                                       double products, const Device& device) {
  std::vector<Execution> ways;
  Execution way;
  way.single_precision = spec.precision == Precision::single;
  const double evaluation = kernel_cost(shape, spec).evaluation;
  const bool tiled = shape.kind == DatasetKind::points && evaluation > 0.0;
  if (tiled && shape.samples <= kMostKept && host_evaluates(shape, spec, device) &&
      products >= std::min(kKeepingPays, 1.0 + kKeeping / evaluation)) {
    ways.push_back(way);
    ways.back().tiles = Tiles::kept;
  }
  ways.push_back(way);
  // Sparse points are always in double precision.
  if (tiled && shape.feature_entries == 0 && spec.precision == Precision::single_if_needed) {
    way.single_precision = true;
    ways.push_back(way);
  }
  return ways;
}

Plan make_plan(const ProblemShape& shape, const std::vector<Execution>& ways,
               const std::function<Thrift(const Execution&)>& thrift,
               const std::function<Strategy(const Execution&)>& price, const Context& context) {
  Plan plan{.shape = shape, .memory = context.memory};
  if (const DeviceBackend* backend = context.device.backend()) {
    plan.device_memory = backend->free_bytes();
  }
  for (const Execution& way : ways) {
    plan.strategies.push_back(first_that_fits(shape, way, thrift(way), price, plan));
  }
  choose(plan);
  return plan;
}

}  // namespace stkr
