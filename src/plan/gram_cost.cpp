#include "plan/gram_cost.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/parallel.hpp"
#include "specification/kernel_parts.hpp"
#include "stkr/gram/neighbor_graph.hpp"
#include "stkr/gram/point_gram.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {
namespace {

// The program with its libraries and the allocator's overhead.
constexpr std::uint64_t kProgram = 24'000'000;

// Tiles are kept up to this many samples: 1.6 GB, evaluated once in seconds.
constexpr Index kMostKept = 20'000;

// Products from which keeping tiles pays: it costs one extra evaluation.
constexpr double kKeepingPays = 6.0;

std::uint64_t bytes(Index count, double each) {
  return static_cast<std::uint64_t>(static_cast<double>(std::max<Index>(count, 0)) * each);
}

// The shape that one kernel of a sum sees.
ProblemShape seen_by(const KernelPart& part, ProblemShape shape) {
  if (part.features) shape.kind = DatasetKind::points;
  return shape;
}

Index entries_of(const KernelPart& part, const ProblemShape& shape) {
  if (const auto* neighbors = part.kernel.get_if<NeighborGraphSpec>()) {
    // If no neighbor is mutual.
    return 2 * neighbor_count(*neighbors, shape.samples) * shape.samples;
  }
  return part.kernel.takes_graph() ? shape.entries : 0;
}

GramMemory neighbor_graph_memory(const ProblemShape& shape, const NeighborGraphSpec& spec,
                                 Index entries) {
  const Index values = shape.samples * shape.features;
  const Index found = shape.samples * neighbor_count(spec, shape.samples);
  GramMemory memory;
  memory.samples = bytes(values, 4.0) + bytes(shape.samples, 32.0);
  memory.gram = bytes(entries, 12.0) + bytes(shape.samples, 72.0);
  // Candidates and neighbors; then neighbors and the directed graph beside the symmetric graph.
  std::uint64_t searching = bytes(found, 20.0) + bytes(shape.samples, 72.0);
  const std::uint64_t joining = bytes(found, 40.0);
  if (spec.recall < 1.0) {
    memory.samples += bytes(shape.samples, 4.0);  // the cell of each point
    searching += cell_search_bytes(shape.samples, shape.features);
  }
  // The points as read stay in memory throughout.
  memory.preparing = bytes(values, 8.0) + bytes(shape.samples, 80.0) +
                     std::max(joining, searching - std::min(searching, memory.gram));
  return memory;
}

GramMemory point_memory(const ProblemShape& shape, const Execution& execution) {
  const bool single = execution.single_precision;
  const Index values = shape.samples * shape.features;
  GramMemory memory;
  memory.samples = bytes(values, single ? 4.0 : 8.0);
  // Neighbor distances, then the points before rounding.
  memory.preparing = std::max(bytes(values, single ? 8.0 : 0.0), bytes(shape.samples, 40.0));
  memory.gram = bytes(shape.samples, 8.0);  // norms
  if (execution.tiles == Tiles::kept) {
    memory.gram += single ? PointGram<float>::tile_bytes(shape.samples, shape.features)
                          : PointGram<double>::tile_bytes(shape.samples, shape.features);
  }
  return memory;
}

GramMemory graph_memory(const ProblemShape& shape, const GraphKernelSpec& spec) {
  GramMemory memory;
  memory.samples = bytes(shape.entries, 12.0) + bytes(shape.samples, 8.0);
  memory.gram = bytes(shape.samples, 40.0);  // degrees, factors, components
  // The transpose for the symmetry check; a copy with self-loops.
  memory.preparing = bytes(shape.entries, 12.0) + bytes(shape.samples, 16.0);
  if (spec.self_loops) {
    memory.samples += bytes(shape.samples, 12.0);
    memory.preparing += bytes(shape.samples, 12.0);
  }
  return memory;
}

GramMemory part_memory(const KernelPart& part, const ProblemShape& shape,
                       const Execution& execution) {
  GramMemory memory;
  if (const auto* neighbors = part.kernel.get_if<NeighborGraphSpec>()) {
    memory = neighbor_graph_memory(shape, *neighbors, entries_of(part, shape));
  } else if (const auto* graph = part.kernel.get_if<GraphKernelSpec>()) {
    memory = graph_memory(shape, *graph);
  } else if (part.kernel.takes_points()) {
    memory = point_memory(shape, execution);
  } else {
    memory.samples = bytes(shape.samples, 8.0 * static_cast<double>(shape.samples));
  }
  if (part.kernel.normalized()) {
    memory.gram += bytes(shape.samples, 36.0);
    ++memory.scratch;
  }
  return memory;
}

}  // namespace

Index sparse_entries(const ProblemShape& shape, const Specification& spec) {
  Index total = 0;
  for (const KernelPart& part : kernel_parts(shape.kind, spec)) {
    const Index entries = entries_of(part, shape);
    if (entries == 0) return 0;
    total += entries;
  }
  return total;
}

GramMemory gram_memory(const ProblemShape& shape, const Specification& spec,
                       const Execution& execution) {
  const std::vector<KernelPart> parts = kernel_parts(shape.kind, spec);
  GramMemory total;
  for (const KernelPart& part : parts) {
    const GramMemory one = part_memory(part, seen_by(part, shape), execution);
    total.samples += one.samples;
    total.gram += one.gram;
    total.preparing += one.preparing;
    total.scratch = std::max(total.scratch, one.scratch);
  }
  if (parts.size() > 1) ++total.scratch;
  if (spec.center) {
    total.gram += bytes(shape.samples, 16.0);
    ++total.scratch;
  }
  return total;
}

std::uint64_t program_memory(const ProblemShape& shape, int threads) {
  std::uint64_t total = kProgram + shape.names + bytes(shape.samples, 16.0) +
                        bytes(shape.labeled, 16.0 + 16.0 * static_cast<double>(shape.outputs));
  if (shape.kind == DatasetKind::points) {
    const double packed = std::min(8e6, 480.0 * 8.0 * static_cast<double>(shape.features));
    total += bytes(resolve_threads(threads), 1e6 + packed);
  }
  return total;
}

std::vector<Execution> gram_executions(const ProblemShape& shape, const Specification& spec,
                                       double products) {
  std::vector<Execution> ways;
  const std::vector<KernelPart> parts = kernel_parts(shape.kind, spec);
  const bool evaluates = std::any_of(parts.begin(), parts.end(), [](const KernelPart& part) {
    return part.kernel.get_if<PointKernelSpec>() != nullptr;
  });
  Execution way;
  way.single_precision = spec.precision == Precision::single;
  const bool tiled = shape.kind == DatasetKind::points && evaluates;
  if (tiled && shape.samples <= kMostKept && products >= kKeepingPays) {
    ways.push_back(way);
    ways.back().tiles = Tiles::kept;
  }
  ways.push_back(way);
  if (tiled && spec.precision == Precision::single_if_needed) {
    way.single_precision = true;
    ways.push_back(way);
  }
  return ways;
}

std::string describe_gram(const ProblemShape& shape, const Specification& spec,
                          const Execution& execution) {
  if (shape.kind == DatasetKind::graph) return "graph";
  if (shape.kind == DatasetKind::kernel) return "kernel given";
  if (sparse_entries(shape, spec) > 0) return "neighbor graph";
  return fmt::format("kernel {}{}", execution.tiles == Tiles::kept ? "kept" : "evaluated",
                     execution.single_precision ? ", single" : "");
}

EigenpairMemory eigenpair_memory(const ProblemShape& shape, const Specification& spec,
                                 Index dimension, Index dense_below) {
  const Index entries = sparse_entries(shape, spec);
  const double n = static_cast<double>(shape.samples);
  const Index dense = entries == 0 ? dense_below : EigenpairOptions{}.dense_below;
  if (shape.samples <= dense || shape.samples < 3 * dimension) {  // see top_eigenpairs
    const std::uint64_t dense_bytes = bytes(shape.samples, 8.0 * 7.0 * n);
    return {dense_bytes, dense_bytes};
  }
  // Filtered Lanczos: a basis of up to three times as many vectors plus those of the last attempts.
  const Index block = std::clamp<Index>((dimension / 8 + 15) / 16 * 16, 16, 64);
  // Usually the first attempt suffices, with half as many vectors more than requested.
  const auto columns = [&](double count) { return bytes(shape.samples, 8.0 * count); };
  const auto d = static_cast<double>(dimension), b = static_cast<double>(block);
  // The block of S over some samples, and the block over their large components.
  const std::uint64_t blocks =
      entries > 0 ? bytes(entries, 24.0) + bytes(shape.samples, 32.0) : std::uint64_t{0};
  return {columns(7.0 * d + 12.0 * b) + blocks, columns(5.5 * d + 4.0 * b) + blocks};
}

void add_products(const ProblemShape& shape, const Specification& spec, const Execution& execution,
                  double count, double columns, Work& work) {
  const double n = static_cast<double>(shape.samples);
  const double pairs = 0.5 * n * (n + 1.0);
  work.products += count;
  if (const Index entries = sparse_entries(shape, spec); entries > 0) {
    work.operations += count * columns * 2.0 * static_cast<double>(entries);
    return;
  }
  work.operations += count * columns * 2.0 * n * n;
  if (shape.kind == DatasetKind::kernel) return;
  const bool kept = execution.tiles == Tiles::kept;
  // An inner product, and about twenty operations to evaluate the kernel.
  const double evaluated = kept ? std::max(0.0, pairs - work.evaluations) : count * pairs;
  work.evaluations += evaluated;
  work.operations += evaluated * (2.0 * static_cast<double>(shape.features) + 20.0);
}

}  // namespace stkr
