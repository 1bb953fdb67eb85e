#include "plan/run_cost.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linop/device_backend.hpp"
#include "runtime/byte_count.hpp"
#include "runtime/parallel.hpp"

namespace stkr {

std::uint64_t program_memory(const ProblemShape& shape, int threads) {
  // The program with its libraries and the allocator's overhead.
  constexpr std::uint64_t kProgram = 24'000'000;
  std::uint64_t total = kProgram + shape.names + byte_count(shape.samples, 16.0) +
                        byte_count(shape.labeled, 16.0 + 16.0 * static_cast<double>(shape.outputs));
  if (shape.kind == DatasetKind::points) {
    const double packed = std::min(8e6, 480.0 * 8.0 * static_cast<double>(shape.features));
    total += byte_count(resolve_threads(threads), 1e6 + packed);
  }
  return total;
}

std::string describe_gram(const ProblemShape& shape, const GramCost& gram,
                          const Execution& execution) {
  if (shape.kind == DatasetKind::graph) return "graph";
  if (shape.kind == DatasetKind::kernel) return "kernel given";
  if (gram.entries > 0) return "neighbor graph";
  return fmt::format("kernel {}{}", execution.tiles == Tiles::kept ? "stored" : "recomputed",
                     execution.single_precision ? ", single" : "");
}

void add_products(const ProblemShape& shape, const GramCost& gram, Tiles tiles,
                  const Products& products, Work& work) {
  const auto n = static_cast<double>(shape.samples);
  work.products += products.count;
  if (gram.entries > 0) {
    work.operations += products.count * products.columns * 2.0 * static_cast<double>(gram.entries);
    return;
  }
  work.operations += products.count * products.columns * 2.0 * n * n;
  if (gram.evaluation == 0.0) return;
  // Half of the values: K is symmetric.
  const double values = 0.5 * n * (n + 1.0);
  const double evaluated =
      tiles == Tiles::kept ? std::max(0.0, values - work.evaluations) : products.count * values;
  work.evaluations += evaluated;
  work.operations += evaluated * gram.evaluation;
}

RunCost::RunCost(const ProblemShape& shape, const GramCost& gram, const Execution& execution,
                 const Context& context)
    : shape_(shape),
      gram_(gram),
      program_(program_memory(shape, context.threads)),
      backend_(context.device.backend()) {
  result_.execution = execution;
  result_.work.pairs = gram.pairs;
  MemoryUse reading{"reading", program_};
  reading.samples = shape.reading;
  consider(reading);
  MemoryUse preparing = held("preparing");
  preparing.gram += gram.preparing;
  consider(preparing);
  if (backend_) prepare_device();
  // Degrees or means.
  if (gram.scratch > 0) add_products(shape, gram, execution.tiles, {1.0, 1.0}, result_.work);
}

// A search for neighbors is freed before the graph is used, except what places new samples.
void RunCost::prepare_device() {
  const bool single = result_.execution.single_precision;
  if (gram_.entries > 0) {
    on_device_ = backend_->sparse_bytes(shape_.samples, gram_.entries);
    if (gram_.pairs > 0.0) {
      const Index neighbors =
          std::max<Index>(gram_.entries / std::max<Index>(shape_.samples, 1), 1);
      on_device_ += backend_->neighbor_bytes(shape_.samples, shape_.features, neighbors);
    }
  } else if (shape_.kind == DatasetKind::points && gram_.evaluation > 0.0) {
    on_device_ = backend_->point_bytes(shape_.samples, shape_.features, single);
  }
  result_.device = on_device_;
}

MemoryUse RunCost::held(const char* phase) const {
  MemoryUse use{phase, program_};
  use.samples = gram_.samples;
  use.gram = gram_.gram;
  return use;
}

void RunCost::consider(const MemoryUse& use, bool expected) {
  if (use.total() > result_.peak.total()) result_.peak = use;
  if (expected) result_.expected = std::max(result_.expected, use.total());
}

void RunCost::add(const SolveCost& step) {
  MemoryUse use = held("solving");
  use.blocks = step.blocks;
  use.system = step.system;
  use.model = step.model;
  consider(use, !step.retry);
  // The blocks of a step are on the device, with rows padded to whole vectors.
  if (backend_) result_.device = std::max(result_.device, on_device_ + 2 * step.blocks);
  result_.work.algebra += step.algebra;
  for (const Products& products : step.products) {
    add_products(shape_, gram_, result_.execution.tiles, products, result_.work);
  }
}

void RunCost::end(std::uint64_t model) {
  MemoryUse use{"ending", program_};
  if (shape_.kind == DatasetKind::points) use.samples = gram_.samples;
  use.gram = byte_count(shape_.samples, 48.0);
  use.model = model;
  consider(use);
}

Strategy RunCost::strategy(std::string name) && {
  result_.name = std::move(name);
  return std::move(result_);
}

}  // namespace stkr
