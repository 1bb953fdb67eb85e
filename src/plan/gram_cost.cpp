#include "plan/gram_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/byte_count.hpp"
#include "runtime/parallel.hpp"
#include "specification/kernel_parts.hpp"

namespace stkr {
namespace {

// The program with its libraries and the allocator's overhead.
constexpr std::uint64_t kProgram = 24'000'000;

// Tiles are kept up to this many samples: 1.6 GB, evaluated once in seconds.
constexpr Index kMostKept = 20'000;

// Keeping tiles costs about as much as this many operations per value, and saves all evaluations
// but the first.
constexpr double kKeeping = 200.0;
// Products from which it pays, however cheap the kernel is.
constexpr double kKeepingPays = 6.0;

// Entries of the node features.
Index features_of(const ProblemShape& shape) {
  return shape.feature_entries > 0 ? shape.feature_entries : shape.samples * shape.features;
}

PointShape points_of(const ProblemShape& shape) {
  return {shape.samples, shape.features, shape.feature_entries};
}

Index entries_of(const KernelPart& part, const ProblemShape& shape) {
  if (const auto* neighbors = part.kernel.get_if<NeighborGraphSpec>()) {
    // If no neighbor is mutual.
    return 2 * neighbor_count(*neighbors, shape.samples) * shape.samples;
  }
  if (part.factored(shape.feature_entries > 0)) {
    // Products with X and its transpose, and k on each side with the graph and its self-loops.
    return 2 * (features_of(shape) + part.kernel.smoothing() * (shape.entries + shape.samples));
  }
  return part.kernel.takes_graph() ? shape.entries : 0;
}

GramMemory part_memory(const KernelPart& part, const ProblemShape& shape,
                       const Execution& execution) {
  if (const auto* neighbors = part.kernel.get_if<NeighborGraphSpec>()) {
    return neighbor_graph_memory(points_of(shape), neighbor_count(*neighbors, shape.samples),
                                 neighbors->recall, neighbors->components);
  }
  if (const auto* graph = part.kernel.get_if<GraphKernelSpec>()) {
    return graph_gram_memory(shape.samples, shape.entries, graph->self_loops);
  }
  if (part.factored(shape.feature_entries > 0) || part.kernel.smoothing() > 0) {
    const Index edges = part.kernel.smoothing() > 0 ? shape.entries : 0;
    GramMemory memory =
        smoothed_gram_memory(shape.samples, edges, shape.features, features_of(shape));
    if (part.factored(shape.feature_entries > 0)) return memory;
    const GramMemory points = point_gram_memory({shape.samples, shape.features},
                                                execution.single_precision, execution.tiles);
    memory.samples += points.samples;
    memory.gram += points.gram;
    memory.preparing += points.preparing;
    memory.scratch = points.scratch;
    return memory;
  }
  if (part.kernel.takes_points()) {
    return point_gram_memory(points_of(shape), execution.single_precision, execution.tiles);
  }
  return dense_gram_memory(shape.samples);
}

void add(const GramMemory& more, GramMemory& total) {
  total.gram += more.gram;
  total.scratch += more.scratch;
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
  std::vector<GramMemory> parts;
  for (const KernelPart& part : kernel_parts(shape.kind, spec)) {
    parts.push_back(part_memory(part, shape, execution));
    if (part.kernel.normalized()) add(normalized_gram_memory(shape.samples), parts.back());
  }
  GramMemory total = sum_gram_memory(parts);
  if (spec.center) add(centered_gram_memory(shape.samples), total);
  return total;
}

SolveShape solve_shape(const ProblemShape& shape, const Specification& spec,
                       const GramMemory& gram) {
  SolveShape solve{.samples = shape.samples,
                   .labels = shape.labeled,
                   .outputs = shape.outputs,
                   .entries = sparse_entries(shape, spec),
                   .scratch = gram.scratch,
                   .indefinite = may_be_indefinite(shape.kind, spec)};
  if (const RidgeSpec* ridge = ridge_of(spec.method)) {
    solve.relative_ridge = !std::holds_alternative<PaperBeta>(*ridge);
  }
  std::visit(
      [&](const auto& method) {
        if constexpr (requires { method.tolerance; }) {
          solve.tolerance = method.tolerance;
          solve.max_iterations = method.max_iterations;
        }
      },
      spec.method);
  return solve;
}

std::uint64_t program_memory(const ProblemShape& shape, int threads) {
  std::uint64_t total = kProgram + shape.names + byte_count(shape.samples, 16.0) +
                        byte_count(shape.labeled, 16.0 + 16.0 * static_cast<double>(shape.outputs));
  if (shape.kind == DatasetKind::points) {
    const double packed = std::min(8e6, 480.0 * 8.0 * static_cast<double>(shape.features));
    total += byte_count(resolve_threads(threads), 1e6 + packed);
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
  const double pays = std::min(kKeepingPays, 1.0 + kKeeping / evaluation_operations(shape));
  if (tiled && shape.samples <= kMostKept && products >= pays) {
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

std::string describe_gram(const ProblemShape& shape, const Specification& spec,
                          const Execution& execution) {
  if (shape.kind == DatasetKind::graph) return "graph";
  if (shape.kind == DatasetKind::kernel) return "kernel given";
  if (sparse_entries(shape, spec) > 0) return "neighbor graph";
  return fmt::format("kernel {}{}", execution.tiles == Tiles::kept ? "stored" : "recomputed",
                     execution.single_precision ? ", single" : "");
}

double evaluation_operations(const ProblemShape& shape) {
  if (shape.feature_entries == 0) return 2.0 * static_cast<double>(shape.features) + 20.0;
  // Of sparse points, each entry meets a few of the others.
  return 4.0 * static_cast<double>(shape.feature_entries) /
             static_cast<double>(std::max<Index>(shape.samples, 1)) +
         20.0;
}

double neighbor_pairs(const ProblemShape& shape, const Specification& spec) {
  const auto n = static_cast<double>(shape.samples);
  double pairs = 0.0;
  for (const KernelPart& part : kernel_parts(shape.kind, spec)) {
    const auto* neighbors = part.kernel.get_if<NeighborGraphSpec>();
    if (!neighbors) continue;
    // Exact: each pair once. Otherwise some cells of √N points, about as many as it takes to find
    // them.
    pairs += neighbors->recall < 1.0 ? std::min(0.5 * n * n, 12.0 * n * std::sqrt(n)) : 0.5 * n * n;
  }
  return pairs;
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
  const double evaluated = kept ? std::max(0.0, pairs - work.evaluations) : count * pairs;
  work.evaluations += evaluated;
  work.operations += evaluated * evaluation_operations(shape);
}

}  // namespace stkr
